public import Foundation

/// The opener of notifications that gateways have sealed for this installation, in the app's notification service
/// extension.
public struct SealedNotifications: Sendable {
    /// The name of the sealed text beside `aps`, and in the data of a message of Web Push.
    private static let key = "pushgate_sealed"
    /// The name of the data in a message of Web Push.
    private static let dataKey = "data"

    private let storage: any RelayStorage
    private let cryptography: any RelayCryptography

    /// Takes the storage of the app's ``RelayClient``, which the extension shares with the app.
    public init(storage: any RelayStorage, cryptography: any RelayCryptography) {
        self.storage = storage
        self.cryptography = cryptography
    }

    /// Opens a notification.
    ///
    /// - Parameter userInfo: The notification's `userInfo`, or the JSON object of a push service.
    /// - Returns: `nil` if the notification is not sealed, or cannot be opened: it was sealed for former keys, was
    ///   changed on its way, or the device has not been unlocked since its start. Show the neutral text then, which the
    ///   notification has already.
    public func open(userInfo: [AnyHashable: Any]) -> OpenedNotification? {
        guard let text = Self.sealedText(in: userInfo), let bytes = Base64URLText.decode(text),
            let sealed = SealedContent(bytes), let stored = try? storage.load(),
            let state = try? JSONDecoder().decode(RelayState.self, from: stored),
            let content = sealed.opened(by: state.keys, cryptography)
        else { return nil }
        return OpenedNotification(content)
    }

    /// Opens the JSON object that a push service delivers, such as a message of Web Push after its own decryption.
    ///
    /// - Returns: `nil` as ``open(userInfo:)`` does, and for anything but a JSON object.
    public func open(json: Data) -> OpenedNotification? {
        guard let object = try? JSONSerialization.jsonObject(with: json) as? [String: Any] else { return nil }
        return open(userInfo: object)
    }

    /// Returns the sealed text of a notification of APNs or FCM, or of a message of Web Push, which has it in its data.
    private static func sealedText(in userInfo: [AnyHashable: Any]) -> String? {
        if let text = userInfo[key] as? String { return text }
        return (userInfo[dataKey] as? [String: Any])?[key] as? String
    }
}

/// The content of a sealed notification.
public struct OpenedNotification: Hashable, Sendable {
    /// The version of the form that this version of the library reads.
    private static let version = 1

    /// The title; `nil` if there is none.
    public let title: String?
    /// The text; `nil` if there is none. A gateway cuts a long one.
    public let body: String?
    /// The values for the app, as they are beside `aps` in other notifications: ``PushPayload`` and
    /// ``NotificationReceipt`` read them.
    public let data: [String: String]
    /// The number on the app's icon; `nil` if it stays.
    public let badge: Int?
    /// The name of the sound, `default` for the system's; `nil` for none.
    public let sound: String?
    /// The id of the group of notifications; `nil` if there is none.
    public let threadID: String?
    /// The id that newer notifications replace this one by; `nil` if there is none.
    public let collapseID: String?

    /// Reads the JSON of a gateway; `nil` for another version of the form.
    init?(_ json: [UInt8]) {
        guard let content = try? JSONDecoder().decode(Content.self, from: Data(json)), content.v == Self.version else {
            return nil
        }
        title = content.title
        body = content.body
        data = content.data ?? [:]
        badge = content.badge
        sound = content.sound
        threadID = content.thread
        collapseID = content.collapseID
    }

    private struct Content: Decodable {
        let v: Int
        let title: String?
        let body: String?
        let data: [String: String]?
        let badge: Int?
        let sound: String?
        let thread: String?
        let collapseID: String?

        private enum CodingKeys: String, CodingKey {
            case v, title, body, data, badge, sound, thread
            case collapseID = "collapse_id"
        }
    }
}

#if canImport(UserNotifications)
    public import UserNotifications

    extension SealedNotifications {
        /// Returns the content to show for a notification: the opened one, or the neutral one that arrived.
        public func content(of arrived: UNNotificationContent) -> UNNotificationContent {
            guard let opened = open(userInfo: arrived.userInfo),
                let content = arrived.mutableCopy() as? UNMutableNotificationContent
            else { return arrived }
            if let title = opened.title { content.title = title }
            content.body = opened.body ?? ""
            for (name, value) in opened.data { content.userInfo[name] = value }
            content.userInfo[Self.key] = nil
            if let badge = opened.badge { content.badge = NSNumber(value: badge) }
            if let threadID = opened.threadID { content.threadIdentifier = threadID }
            #if !os(tvOS)
                content.sound = opened.sound.map { name in
                    name == "default" ? .default : UNNotificationSound(named: UNNotificationSoundName(name))
                }
            #endif
            return content
        }
    }
#endif

#if canImport(CryptoKit)
    extension SealedNotifications {
        /// Takes the storage of the app's ``RelayClient``, with the cryptography of CryptoKit.
        public init(storage: any RelayStorage) {
            self.init(storage: storage, cryptography: CryptoKitCryptography())
        }
    }
#endif
