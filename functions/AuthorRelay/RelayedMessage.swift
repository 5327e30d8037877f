import JSON
import Messaging
import Texts

/// A message that a sender hands over.
struct RelayedMessage: Sendable {
    /// The kinds of notifications.
    enum Kind: String, Sendable {
        case alert
        case background
        /// A card on the lock screen.
        case liveActivity = "liveactivity"
    }

    private static let maximumIDBytes = 64
    private static let maximumCollapseBytes = 32
    /// The lifetime of a message that names none, in seconds.
    private static let standardTTL: Int64 = 24 * 60 * 60
    /// The time for which a message is tried that is to be delivered now or never.
    private static let nowOrNever = Duration.seconds(30)

    let address: AddressID
    /// The sender's id of the message.
    let id: String
    let content: SealedContent
    /// The name of messages that replace each other: a digest under a key that the relay does not know.
    let collapseID: String?
    let isUrgent: Bool
    let kind: Kind
    /// The change of a card; `nil` for another kind.
    let card: RelayedCard?
    /// The lifetime in seconds; 0 for now or never.
    private let ttl: Int64

    init(_ object: JSONObject) throws(RelayError) {
        guard let address = object["address"]?.string.flatMap({ AddressID(inAddress: $0) }) else {
            throw .invalid("address must be relay:HOST/ID")
        }
        guard let id = object["id"]?.string, (1...Self.maximumIDBytes).contains(id.utf8.count) else {
            throw .invalid("id must be a text of 1 to \(Self.maximumIDBytes) bytes")
        }
        self.address = address
        self.id = id
        content = try SealedContent(object["sealed"]?.string)
        collapseID = try Self.collapseID(object["collapse"])
        isUrgent = try Self.isUrgent(object["priority"])
        let kind = try Self.kind(object["kind"])
        self.kind = kind
        card = try kind == .liveActivity ? RelayedCard(object["card"]) : nil
        ttl = try Self.ttl(object["ttl"])
    }

    private static func collapseID(_ value: JSONValue?) throws(RelayError) -> String? {
        guard let value, value != .null else { return nil }
        guard let text = value.string, (1...maximumCollapseBytes).contains(text.utf8.count),
            text.utf8.allSatisfy(\.isBase64URL)
        else { throw .invalid("collapse must be 1 to \(maximumCollapseBytes) characters of base64url") }
        return text
    }

    private static func isUrgent(_ value: JSONValue?) throws(RelayError) -> Bool {
        switch value?.string {
        case "high": return true
        case "normal": return false
        default:
            guard value == nil || value == .some(.null) else { throw .invalid("priority must be high or normal") }
            return true
        }
    }

    private static func kind(_ value: JSONValue?) throws(RelayError) -> Kind {
        guard let value, value != .null else { return .alert }
        guard let kind = Kind(rawValue: value.string ?? "") else {
            throw .invalid("kind must be alert, background or liveactivity")
        }
        return kind
    }

    private static func ttl(_ value: JSONValue?) throws(RelayError) -> Int64 {
        guard let value, value != .null else { return standardTTL }
        guard let seconds = value.integer, seconds >= 0 else {
            throw .invalid("ttl must be a whole number of seconds, 0 or more")
        }
        return min(seconds, Message.longestLifetime.components.seconds)
    }

    /// The time for which delivery is tried.
    var lifetime: Duration { ttl == 0 ? Self.nowOrNever : .seconds(ttl) }
}

/// The notification, whose form depends on the push service. None has a readable word of the sender's.
extension RelayedMessage {
    /// The member with the sealed content, for the app.
    static let sealedKey = "pushgate_sealed"

    /// Returns the message for a push service.
    func message(over transport: TransportName, _ neutral: NeutralText) -> Message {
        switch transport {
        case .apns, .emulated: appleMessage(neutral)
        case .fcm: androidMessage
        default: browserMessage
        }
    }

    private func appleMessage(_ neutral: NeutralText) -> Message {
        var headers = ["apns-push-type": kind.rawValue]
        // Apple allows no other priority for background notifications.
        headers["apns-priority"] = isUrgent && kind == .alert ? "10" : "5"
        headers["apns-collapse-id"] = collapseID
        if ttl == 0 { headers["apns-expiration"] = "0" }
        let aps: JSONObject
        switch kind {
        case .alert:
            var alert: JSONObject = ["title": .string(neutral.title)]
            alert["body"] = neutral.body.map(JSONValue.string)
            aps = ["alert": .object(alert), "mutable-content": 1]
        case .background, .liveActivity: aps = ["content-available": 1]
        }
        return Message(
            apns: Message.APNsConfiguration(
                headers: headers, payload: ["aps": .object(aps), Self.sealedKey: .string(content.text)]))
    }

    private var androidMessage: Message {
        var android: JSONObject = [
            "priority": .string(isUrgent ? "HIGH" : "NORMAL"), "ttl": .string("\(ttl)s"),
        ]
        android["collapseKey"] = collapseID.map(JSONValue.string)
        return Message(data: [Self.sealedKey: content.text], android: android)
    }

    private var browserMessage: Message {
        var headers: JSONObject = ["Urgency": .string(isUrgent ? "high" : "normal")]
        headers["Topic"] = collapseID.map(JSONValue.string)
        if ttl == 0 { headers["TTL"] = "0" }
        return Message(data: [Self.sealedKey: content.text], webpush: ["headers": .object(headers)])
    }
}
