import JSON
import Messaging

/// The facts of a message that a relay needs to deliver it, and learns.
struct RelayDelivery: Hashable, Sendable {
    /// The importance for the device's battery.
    enum Priority: String, Sendable {
        case high, normal
    }

    /// The kind of the notification.
    enum Kind: String, Sendable {
        /// It shows a text.
        case alert
        /// It wakes the app.
        case background
        /// It changes a card on the lock screen.
        case liveActivity = "liveactivity"
    }

    let kind: Kind
    /// The change of a card; `nil` for another kind.
    let card: RelayCard?
    let priority: Priority
    /// The seconds for which the relay keeps the message; 0 for now or never.
    let ttl: Int64

    /// - Parameter now: The time in seconds since 1970.
    init(of message: OutgoingMessage, now: Int64) {
        let content = message.message
        card = RelayCard(of: content)
        kind = Self.kind(of: content, card)
        priority = Self.priority(of: content, kind)
        ttl = content.apns?.header("apns-expiration") == "0" ? 0 : max(0, message.expiration - now)
    }

    private static func kind(of message: Message, _ card: RelayCard?) -> Kind {
        guard card == nil else { return .liveActivity }
        return message.hasShownText && message.apns?.header("apns-push-type") != "background" ? .alert : .background
    }

    private init(kind: Kind, priority: Priority, ttl: Int64) {
        self.kind = kind
        card = nil
        self.priority = priority
        self.ttl = ttl
    }

    /// The facts of a message that is not to be delivered.
    static let forNobody = RelayDelivery(kind: .background, priority: .normal, ttl: 0)

    private static func priority(of message: Message, _ kind: Kind) -> Priority {
        // Apple refuses other priorities of these.
        if kind == .background { return .normal }
        switch message.apns?.header("apns-priority") {
        case "10": return .high
        case "1", "5": return .normal
        default: break
        }
        return (message.androidV2 ?? message.android)?["priority"]?.string?.lowercased() == "normal" ? .normal : .high
    }
}
