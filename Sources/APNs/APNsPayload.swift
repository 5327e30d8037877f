import JSON
import Messaging

/// The payload that a device receives: FCM's message in Apple's form, as bytes within Apple's limit.
struct APNsPayload: Hashable, Sendable {
    static let installationIDKey = "google.c.fid"
    /// The member with the address for receipts.
    static let receiptKey = "pushgate_receipt"
    static let messageIDKey = "gcm.message_id"
    /// The size of the member with the installation id: comma, name, colon, and 22 characters in quotes.
    private static let installationIDSize = installationIDKey.utf8.count + 28

    /// Compact UTF-8 JSON, without the members that differ between targets.
    let bytes: [UInt8]
    private let maximumSize: Int
    private let hasIdentity: Bool

    /// Creates the payload of a message. The message's id is left out if it does not fit: the notification matters
    /// more than its id.
    ///
    /// - Returns: `nil` if the payload does not fit even with an empty body.
    init?(of message: OutgoingMessage) {
        if let payload = Self(message.message, id: message.id, identity: message.identity) {
            self = payload
        } else {
            self.init(message.message, identity: message.identity)
        }
    }

    /// Creates the payload for the targets of a message whose apps report what arrives.
    ///
    /// - Returns: `nil` if no app reports it, or the payload does not fit with the address for receipts. Those apps
    ///   then get the payload of all others.
    init?(withReceiptOf message: OutgoingMessage) {
        guard let address = message.receiptAddress else { return nil }
        self.init(message.message, id: message.id, identity: message.identity, receipt: address)
    }

    /// Creates a payload with given ids.
    ///
    /// - Parameters:
    ///   - id: the message's id; a message that came through FCM's API has it in its identity.
    ///   - identity: the ids for FCM's library in the app; `nil` if the message did not come through FCM's API.
    ///   - receipt: the address for receipts; `nil` for none.
    /// - Returns: `nil` if the payload does not fit even with an empty body.
    init?(_ message: Message, id: String? = nil, identity: FCMIdentity? = nil, receipt: String? = nil) {
        let maximumSize = (APNsPushType(of: message) ?? .alert).maximumPayloadSize
        if identity == nil, receipt == nil, let bytes = Self.plain(message, id: id), bytes.count <= maximumSize {
            self.init(bytes: bytes, maximumSize: maximumSize, hasIdentity: false)
            return
        }
        let wantedSize = identity == nil ? maximumSize : maximumSize - Self.installationIDSize
        var object = Self.object(for: message, id: id, identity: identity)
        if let receipt { Self.add(receipt, to: &object, of: message) }
        var bytes = JSONValue.object(object).serialized
        if bytes.count > wantedSize {
            if Self.shortenBody(of: &object, by: bytes.count - wantedSize) {
                bytes = JSONValue.object(object).serialized
            } else if bytes.count > maximumSize {
                return nil
            }
        }
        self.init(bytes: bytes, maximumSize: maximumSize, hasIdentity: identity != nil)
    }

    private init(bytes: [UInt8], maximumSize: Int, hasIdentity: Bool) {
        self.bytes = bytes
        self.maximumSize = maximumSize
        self.hasIdentity = hasIdentity
    }

    /// Returns the payload for one target. A message of FCM's carries the installation id, unless it does not fit.
    func bytes(installationID: String?) -> [UInt8] {
        guard hasIdentity, let installationID else { return bytes }
        var bytes = bytes
        bytes.removeLast()
        bytes.append(contentsOf: ",\"\(Self.installationIDKey)\":".utf8)
        JSONValue.writeString(installationID, to: &bytes)
        bytes.append(UInt8(ascii: "}"))
        return bytes.count > maximumSize ? self.bytes : bytes
    }

    /// Removes characters from the end of the alert's body, and adds an ellipsis, until the JSON is shorter by
    /// `excess` bytes.
    ///
    /// - Returns: `false` if the body is too short.
    private static func shortenBody(of object: inout JSONObject, by excess: Int) -> Bool {
        guard var aps = object["aps"]?.object, var alert = aps["alert"]?.object, var body = alert["body"]?.string
        else { return false }
        var saved = -"…".utf8.count
        while saved < excess {
            guard let last = body.popLast() else { return false }
            saved += JSONValue.string(String(last)).serialized.count - 2
        }
        alert["body"] = .string(body + "…")
        aps["alert"] = .object(alert)
        object["aps"] = .object(aps)
        return true
    }
}

/// The translation of FCM's message into Apple's
/// ([Generating a remote notification](https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification)).
extension APNsPayload {
    /// Returns the payload of a message.
    ///
    /// `notification` becomes `aps.alert`, `data` becomes string members beside `aps`, and the image becomes
    /// `fcm_options.image`. `apns.payload` is merged on top and wins, member by member in `aps`. Then members that are
    /// `null` are left out, because APNs does not deliver such payloads. The ids come last: FCM's library recognizes
    /// its messages by them, and any app recognizes a repeated delivery.
    static func object(for message: Message, id: String? = nil, identity: FCMIdentity? = nil) -> JSONObject {
        let own = message.apns?.payload ?? [:]
        var members: [(name: String, value: JSONValue)] = []
        members.reserveCapacity(message.data.count + own.count + 5)
        for (name, text) in message.data { members.append((name, .string(text))) }
        members.sort { $0.name < $1.name }
        if let image = image(of: message) { members.append(("fcm_options", ["image": .string(image)])) }
        members += own.members
        members.removeAll { $0.name == "aps" || identity != nil && $0.name == installationIDKey }
        members.insert(("aps", .object(aps(for: message))), at: 0)
        addIDs(id, identity, to: &members)
        return JSONObject(members).withoutNulls
    }

    /// Adds the address for receipts. An alert gets `mutable-content` too, without which the system does not start the
    /// app's extension; other messages start the app itself.
    private static func add(_ receipt: String, to object: inout JSONObject, of message: Message) {
        object[receiptKey] = .string(receipt)
        guard APNsPushType(of: message) == .alert, var aps = object["aps"]?.object, aps["alert"] != nil else { return }
        aps["mutable-content"] = 1
        object["aps"] = .object(aps)
    }

    /// Returns the `aps` member of a message's payload.
    static func aps(for message: Message) -> JSONObject {
        var alert: JSONObject = [:]
        alert["title"] = message.notification?.title.map(JSONValue.string)
        alert["body"] = message.notification?.body.map(JSONValue.string)
        var aps = JSONObject()
        let own = message.apns?.payload["aps"]?.object ?? [:]
        aps.reserveCapacity(own.count + 1)
        if !alert.isEmpty { aps["alert"] = .object(alert) }
        for (name, value) in own.members { aps[name] = value }
        return aps
    }

    /// Returns the URL of the image. The one for Apple's devices wins; an empty text counts as absent.
    static func image(of message: Message) -> String? {
        if let image = message.apns?.fcmOptions?.image, !image.isEmpty { return image }
        if let image = message.notification?.image, !image.isEmpty { return image }
        return nil
    }

    /// Adds the ids that are the same for every target. The installation id differs, so it is added later.
    private static func addIDs(
        _ id: String?, _ identity: FCMIdentity?, to members: inout [(name: String, value: JSONValue)]
    ) {
        if let identity {
            members.append((messageIDKey, .string(identity.messageID)))
            members.append(("google.c.sender.id", .string(identity.senderID)))
            members.append(("google.c.a.e", "1"))
        } else if let id {
            members.append((messageIDKey, .string(id)))
        }
    }
}

extension APNsPushType {
    /// Creates the push type of a message; `nil` if the message names one that Apple does not have.
    init?(of message: Message) {
        if let name = message.apns?.header("apns-push-type") {
            self.init(rawValue: name)
        } else {
            self = Self.implied(by: message)
        }
    }

    /// Returns `background` for a message that only wakes the app, `liveactivity` for one to a Live Activity's token,
    /// else `alert`. An alert of empty texts shows nothing, and an empty sound plays nothing.
    private static func implied(by message: Message) -> APNsPushType {
        if message.apns?.liveActivityToken != nil { return .liveactivity }
        guard message.apns?.payload["aps"]?["content-available"]?.double == 1 else { return .alert }
        let aps = APNsPayload.aps(for: message)
        return ["alert", "sound", "badge"].allSatisfy { aps[$0]?.isBlank ?? true } ? .background : .alert
    }
}

extension JSONObject {
    /// The object without members that are `null`, at every depth. Elements of arrays stay, since others follow them.
    fileprivate var withoutNulls: JSONObject {
        guard members.contains(where: { $0.value.hasNulls }) else { return self }
        return JSONObject(members.filter { $0.value != .null }.map { ($0.name, $0.value.withoutNulls) })
    }
}

extension JSONValue {
    /// `true` for `null`, and for values with members that are `null`.
    var hasNulls: Bool {
        switch self {
        case .null: true
        case .array(let elements): elements.contains { $0 != .null && $0.hasNulls }
        case .object(let object): object.members.contains { $0.value.hasNulls }
        case .bool, .integer, .double, .string: false
        }
    }

    fileprivate var withoutNulls: JSONValue {
        switch self {
        case .array(let elements): .array(elements.map(\.withoutNulls))
        case .object(let object): .object(object.withoutNulls)
        case .null, .bool, .integer, .double, .string: self
        }
    }

    /// `true` for a value that shows nothing: `null`, an empty text, and an array or object of nothing else.
    fileprivate var isBlank: Bool {
        switch self {
        case .null: true
        case .string(let text): text.isEmpty
        case .array(let elements): elements.allSatisfy(\.isBlank)
        case .object(let object): object.members.allSatisfy(\.value.isBlank)
        case .bool, .integer, .double: false
        }
    }
}
