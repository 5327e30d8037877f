import Cryptography
import JSON

/// The messages that replace each other: those of one sender with one collapse id and one push type, over one transport
/// to one app. Of those to one address only the newest is sent. The environment does not count: a token belongs to one,
/// and a registration may leave open to which.
///
/// It is stored with each chunk until the chunk is settled.
struct CollapseKey: Hashable, Sendable {
    private let digest: HalfDigest

    /// Creates the key of a message; `nil` for a message without a collapse id.
    ///
    /// - Parameter lane: with the app that the configuration gives it; `nil` for the key that the message has in common
    ///   with those of its sender, ids and push type in all lanes.
    init?(of message: AcceptedMessage, in lane: Lane?) {
        guard let ids = message.message.collapseIDs else { return nil }
        self.init(
            sender: message.owner, lane, pushType: message.message.collapsedPushType,
            liveActivity: message.message.apns?.liveActivityToken, ids)
    }

    /// Creates the key of a sender's alerts with an `apns-collapse-id`.
    init(ofAlerts id: String, sender: String, in lane: Lane) {
        self.init(sender: sender, lane, pushType: "alert", liveActivity: nil, (id, nil, nil))
    }

    private init(
        sender: String, _ lane: Lane?, pushType: String, liveActivity: RegistrationToken?, _ ids: Message.CollapseIDs
    ) {
        var texts = SHA256.Hasher()
        texts.add(sender)
        texts.add(lane?.transport.rawValue)
        texts.add(lane?.app.bundleID)
        texts.add(pushType)
        texts.add(liveActivity?.value)
        texts.add(ids.apns)
        texts.add(ids.android)
        texts.add(ids.web)
        digest = HalfDigest(texts)
    }
}

extension SHA256.Hasher {
    /// The bytes that follow a text, and stand for a missing one. They occur in no UTF-8.
    private static let (end, missing): ([UInt8], [UInt8]) = ([0xFF], [0xFE])

    /// Adds a text so that no other sequence of texts has the same bytes.
    fileprivate mutating func add(_ text: String?) {
        if let text { update(text.utf8) }
        update(text == nil ? Self.missing : Self.end)
    }
}

/// The stored form: 32 hexadecimal digits.
extension CollapseKey {
    /// Reads a key; `nil` if the text is not one.
    init?(text: String) {
        guard let digest = HalfDigest(text) else { return nil }
        self.digest = digest
    }

    var text: String { digest.description }
}

extension Message {
    fileprivate typealias CollapseIDs = (apns: String?, android: String?, web: String?)

    /// The values of `apns-collapse-id`, Android's `collapse_key` and the web's `Topic` (RFC 8030 §5.4); `nil` if there
    /// is none.
    fileprivate var collapseIDs: CollapseIDs? {
        let ids = CollapseIDs(
            apns?.header("apns-collapse-id"), (androidV2 ?? android)?["collapseKey"]?.string,
            webPushHeader("topic"))
        return ids.apns == nil && ids.android == nil && ids.web == nil ? nil : ids
    }

    /// The push type as far as it tells messages apart that replace each other.
    fileprivate var collapsedPushType: String {
        apns?.header("apns-push-type") ?? (isVisible ? "alert" : "background")
    }

    private var isVisible: Bool {
        guard notification == nil else { return true }
        let aps = apns?.payload["aps"]
        return aps?["alert"] != nil || aps?["sound"] != nil || aps?["badge"] != nil
    }
}
