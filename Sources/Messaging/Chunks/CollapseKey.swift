import Cryptography
import JSON

/// The messages that replace each other: those of one sender with one collapse id, one push type, and one lane, which
/// is the transport, the app and its environment. Of those to one address only the newest is sent.
///
/// It is a digest, and stored with each chunk until the chunk is settled.
struct CollapseKey: Hashable, Sendable {
    /// 32 hexadecimal digits.
    let text: String

    init(text: String) { self.text = text }

    /// Creates the key of a message in a lane; `nil` for a message without a collapse id.
    init?(of message: AcceptedMessage, in lane: Lane) {
        guard let id = message.message.collapseID else { return nil }
        self.init(sender: message.owner, lane, pushType: message.message.collapsedPushType, id)
    }

    /// Creates the key of a sender's alerts with an `apns-collapse-id`.
    init(ofAlerts id: String, sender: String, in lane: Lane) {
        self.init(sender: sender, lane, pushType: "alert", Self.combined([id, nil, nil]))
    }

    private init(sender: String, _ lane: Lane, pushType: String, _ id: String) {
        var hasher = SHA256.Hasher()
        for part in [sender, lane.key, pushType, id] {
            hasher.update(part.utf8)
            // No text contains this byte.
            hasher.update(CollectionOfOne(0xFF))
        }
        text = String(hasher.hexadecimal.prefix(32))
    }

    fileprivate static func combined(_ ids: [String?]) -> String {
        ids.map { $0.map { "+\($0)" } ?? "-" }.joined(separator: "\u{1}")
    }
}

extension Message {
    /// The ids of `apns-collapse-id`, Android's `collapse_key` and the web's `Topic` (RFC 8030 §5.4), as one text; `nil`
    /// if there is none.
    fileprivate var collapseID: String? {
        let topic = webpush?["headers"]?.object?.members.first { $0.name.lowercased() == "topic" }?.value.string
        let ids = [apns?.header("apns-collapse-id"), (androidV2 ?? android)?["collapseKey"]?.string, topic]
        return ids.contains { $0 != nil } ? CollapseKey.combined(ids) : nil
    }

    /// The push type as far as it tells messages apart that replace each other, with the token of a Live Activity.
    fileprivate var collapsedPushType: String {
        let type = apns?.header("apns-push-type") ?? (isVisible ? "alert" : "background")
        return apns?.liveActivityToken.map { "\(type) \($0.value)" } ?? type
    }

    private var isVisible: Bool {
        notification != nil || ["alert", "sound", "badge"].contains { apns?.payload["aps"]?[$0] != nil }
    }
}
