import JSON
import Messaging
import Texts

/// The header fields of a request to APNs.
///
/// [Sending notification requests](https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns)
enum APNsHeaders {
    /// The beginning of each request's path, before the device token.
    static let pathPrefix = "/3/device/"

    static let idName = "apns-id"
    static let topicName = "apns-topic"

    static let dateName = "date"
    static let retryAfterName = "retry-after"
    /// The fields that are read of each answer.
    static let ofAnswer = [retryAfterName]
    /// The fields that are read of an answer whose time is compared with that of this machine.
    static let ofDatedAnswer = [retryAfterName, dateName]

    /// Fields that each request sets itself, and fields that belong to the connection or the body (RFC 9113 §8.2.2).
    private static let neverPassedOn = [
        "apns-id", "authorization", "connection", "content-encoding", "content-length", "expect", "host", "keep-alive",
        "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// Returns the fields that all targets of a message share.
    ///
    /// The message's own headers win, except for the priority of a background push: Apple accepts only 5.
    /// `apns-expiration`, `apns-priority`, `apns-push-type` and `apns-topic` are always present. Fields that a
    /// message must not set are dropped.
    ///
    /// - Parameters:
    ///   - topic: the registration's topic, which may already have a suffix.
    ///   - bundleID: the app's bundle id, to which the push type's suffix is added.
    static func common(
        for message: OutgoingMessage, topic: String, bundleID: String
    ) -> [(name: String, value: String)] {
        let own = message.message.apns?.headers ?? [:]
        let pushType = APNsPushType(of: message.message)
        var headers: [(name: String, value: String)] = []
        headers.reserveCapacity(own.count + 5)
        func add(_ name: String, _ value: String) {
            if !headers.contains(where: { $0.name == name }) { headers.append((name, value)) }
        }
        if pushType == .background { add("apns-priority", "5") }
        for (name, value) in own {
            let name = name.inLowerCase
            if !neverPassedOn.contains(name) { add(name, value) }
        }
        add(topicName, Self.topic(topic, bundleID, pushType?.topicSuffix ?? ""))
        add("apns-push-type", pushType?.rawValue ?? "alert")
        add("apns-priority", "10")
        add("apns-expiration", String(message.expiration))
        headers.sort { $0.name < $1.name }
        return headers
    }

    private static func topic(_ topic: String, _ bundleID: String, _ suffix: String) -> String {
        suffix.isEmpty ? topic : bundleID + suffix
    }
}

extension String {
    /// The text in lower case, without a copy if it already is.
    fileprivate var inLowerCase: String {
        utf8.allSatisfy { $0 < 0x80 && !$0.isASCIIUppercaseLetter } ? self : lowercased()
    }
}
