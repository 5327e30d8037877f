internal import JSON
internal import Messaging

/// The header fields of a request to APNs.
///
/// [Sending notification requests](https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns)
enum APNsHeaders {
    static let idName = "apns-id"
    static let topicName = "apns-topic"

    /// What each request has for itself, and what belongs to its connection or its body (RFC 9113 §8.2.2).
    private static let neverPassedOn = [
        "apns-id", "authorization", "connection", "content-encoding", "content-length", "expect", "host", "keep-alive",
        "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// What is the same for all targets of a message. The message's own headers win, but for the priority of a background
    /// push, of which Apple takes only 5; `apns-expiration`, `apns-priority`, `apns-push-type` and `apns-topic` are always
    /// there, and what is not the message's to say never is.
    ///
    /// - Parameters:
    ///   - topic: the registration's, which may have a suffix already.
    ///   - bundleID: the app's, to which the push type's suffix is added.
    static func common(
        for message: OutgoingMessage, topic: String, bundleID: String
    ) -> [(name: String, value: String)] {
        var headers: [String: String] = [:]
        for (name, value) in message.message.apns?.headers ?? [:] { headers[name.lowercased()] = value }
        for name in neverPassedOn { headers[name] = nil }
        let pushType = APNsPushType(of: message.message)
        let defaults = [
            topicName: Self.topic(topic, bundleID, pushType?.topicSuffix ?? ""),
            "apns-push-type": pushType?.rawValue ?? "alert",
            "apns-priority": "10", "apns-expiration": String(message.expiration),
        ]
        headers.merge(defaults) { own, _ in own }
        if pushType == .background { headers["apns-priority"] = "5" }
        return headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private static func topic(_ topic: String, _ bundleID: String, _ suffix: String) -> String {
        suffix.isEmpty ? topic : bundleID + suffix
    }
}
