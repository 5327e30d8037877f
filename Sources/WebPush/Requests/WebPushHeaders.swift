import Cryptography
import JSON
package import Messaging
import Texts

/// The header fields of a request that all targets of a message at one service share (RFC 8030 §5).
package struct WebPushHeaders: Hashable, Sendable {
    /// The seconds for which the service keeps the message; 0 for now or never.
    package let ttl: Int64
    /// The urgency: `very-low`, `low`, `normal` or `high`.
    package let urgency: String
    /// The name of messages that replace each other; `nil` if the message replaces none.
    package let topic: String?

    /// The greatest number of characters of a topic (RFC 8030 §5.4).
    static let maximumTopicLength = 32
    private static let urgencies = ["very-low", "low", "normal", "high"]

    /// Creates the fields of a message.
    ///
    /// The message's own fields in `webpush.headers` win, if they are valid. The systems' messages have their collapse
    /// id and priority in `apns`, FCM's clients theirs in `android` too.
    ///
    /// - Parameter now: The time in seconds since 1970.
    package init(of message: OutgoingMessage, now: Int64) {
        let content = message.message
        let remaining = max(0, message.expiration - now)
        ttl = content.isNowOrNever ? 0 : remaining
        urgency = Self.urgency(of: content)
        topic = Self.topic(of: content)
    }

    /// Creates the fields of a message that replaces none.
    init(ttl: Int64, urgency: String) {
        self.ttl = ttl
        self.urgency = urgency
        topic = nil
    }

    private static func urgency(of message: Message) -> String {
        if let own = message.webPushHeader("urgency")?.lowercased(), urgencies.contains(own) { return own }
        switch message.apns?.header("apns-priority") {
        case "1": return "low"
        case "5": return "normal"
        case "10": return "high"
        default: break
        }
        switch (message.androidV2 ?? message.android)?["priority"]?.string?.lowercased() {
        case "high": return "high"
        case "normal": return "normal"
        default: return message.notification == nil ? "normal" : "high"
        }
    }

    private static func topic(of message: Message) -> String? {
        if let own = message.webPushHeader("topic"), isTopic(own) { return own }
        return message.collapseID.map(topic)
    }

    /// Returns the topic of a collapse id, which may be longer and of any characters: the beginning of its digest.
    package static func topic(_ collapseID: String) -> String {
        String(Base64URL.encode(SHA256.digest(of: collapseID.utf8)).prefix(maximumTopicLength))
    }

    private static func isTopic(_ text: String) -> Bool {
        (1...maximumTopicLength).contains(text.utf8.count) && text.utf8.allSatisfy(\.isBase64URL)
    }

    /// The names and values, for a service. The sender's token and the length are added to them.
    package func fields(for profile: ServiceProfile) -> [(name: String, value: String)] {
        let ttl = min(ttl, profile.longestTTL)
        var fields = [
            ("content-encoding", "aes128gcm"), ("content-type", "application/octet-stream"), ("ttl", String(ttl)),
            ("urgency", urgency),
        ]
        if let topic { fields.append(("topic", topic)) }
        // Microsoft refuses a message whose policy contradicts its TTL.
        if profile == .microsoft { fields.append(("x-wns-cache-policy", ttl == 0 ? "no-cache" : "cache")) }
        return fields.map { (name: $0.0, value: $0.1) }
    }
}

extension Message {
    /// The name of messages that replace each other: the web's, else Apple's or Android's; `nil` if there is none.
    var collapseID: String? {
        webPushHeader("topic") ?? apns?.header("apns-collapse-id")
            ?? (androidV2 ?? android)?["collapseKey"]?.string
    }

    /// `true` if the message is to be delivered at once, or not at all.
    fileprivate var isNowOrNever: Bool {
        if let ttl = webPushHeader("ttl") { return ttl == "0" }
        return apns?.header("apns-expiration") == "0"
    }
}
