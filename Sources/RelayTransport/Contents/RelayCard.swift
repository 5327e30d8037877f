import JSON
import Messaging

/// The change of a card on the lock screen, as a relay needs it: the facts for Apple in the clear, and what the card
/// shows for the sealed text.
struct RelayCard: Hashable, Sendable {
    /// The greatest number of bytes of a card's plain text. Apple's 4,096 bytes have its attributes and dates too.
    static let maximumByteCount = 2_048

    /// This gateway's name of the card.
    let id: String
    /// The content that the widget shows.
    let state: JSONObject
    private let event: String
    private let timestamp: Int64
    private let staleAt: Int64?
    private let dismissAt: Int64?

    /// Reads the change; `nil` for a message of another kind.
    init?(of message: Message) {
        typealias Member = LiveActivity.Member
        guard let apns = message.apns, apns.header("apns-push-type") == "liveactivity", apns.liveActivityToken == nil,
            let aps = apns.payload["aps"]?.object, let event = aps[Member.event]?.string,
            let timestamp = aps[Member.timestamp]?.integer,
            let id = aps[Member.attributes]?[LiveActivity.cardAttribute]?.string ?? apns.header("apns-collapse-id")
        else { return nil }
        self.id = id
        self.event = event
        self.timestamp = timestamp
        state = aps[Member.contentState]?.object ?? [:]
        staleAt = aps[Member.staleDate]?.integer
        dismissAt = aps[Member.dismissalDate]?.integer
    }

    /// `true` if the card goes on.
    var isUpdate: Bool { event == "update" }

    /// Returns the member of a request, with a digest of the card's name.
    ///
    /// - Parameter key: The key of the address for digests.
    func json(key: [UInt8]) -> JSONValue {
        var object: JSONObject = [
            "id": .string(CollapseDigest.text(of: id, key: key)), "event": .string(event),
            "timestamp": .integer(timestamp),
        ]
        object["stale_at"] = staleAt.map(JSONValue.integer)
        object["dismiss_at"] = dismissAt.map(JSONValue.integer)
        return .object(object)
    }
}
