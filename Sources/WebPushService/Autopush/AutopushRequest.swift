import JSON

/// A message from Firefox over its WebSocket.
///
/// Mozilla, autopush's [protocol](https://mozilla-services.github.io/autopush-rs/) and Firefox's
/// `dom/push/PushServiceWebSocket.sys.mjs`. Each is one JSON object in one text message.
enum AutopushRequest: Hashable, Sendable {
    /// The first message of a connection, with the id of an earlier one.
    case hello(userAgentID: String?)
    /// The request for an endpoint.
    ///
    /// - Parameter key: The page's application server key in base64url without padding; `nil` if it has none.
    case register(channel: String, key: String?)
    case unregister(channel: String)
    /// The acknowledgment of notifications.
    case acknowledge([AutopushAcknowledgment])
    /// The failure of the service worker that got a notification, with a code from 301 to 303.
    case reject(version: String, code: Int?)
    /// A ping, whose answer is the same text.
    case ping(String)
    /// A message without meaning for the service, such as a subscription to broadcasts.
    case other

    /// Reads a message.
    init(_ text: String) throws(AutopushError) {
        guard let object = (try? JSONValue(parsing: text))?.object else { throw .malformed }
        switch object["messageType"]?.string {
        case nil where object.isEmpty, "ping": self = .ping(text)
        case "hello": self = .hello(userAgentID: object["uaid"]?.string.flatMap { $0.isEmpty ? nil : $0 })
        case "register": self = .register(channel: try Self.channel(object), key: Self.key(object["key"]?.string))
        case "unregister": self = .unregister(channel: try Self.channel(object))
        case "ack": self = .acknowledge(Self.acknowledgments(object["updates"]?.array ?? []))
        case "nack":
            if let version = object["version"]?.string {
                self = .reject(version: version, code: Self.code(object["code"]))
            } else {
                self = .other
            }
        case nil: throw .malformed
        default: self = .other
        }
    }

    private static func channel(_ object: JSONObject) throws(AutopushError) -> String {
        guard let channel = object["channelID"]?.string, !channel.isEmpty else { throw .malformed }
        return channel
    }

    /// Returns the key without the padding that Firefox adds.
    private static func key(_ text: String?) -> String? {
        text.map { String($0.prefix { $0 != "=" }) }
    }

    private static func acknowledgments(_ updates: [JSONValue]) -> [AutopushAcknowledgment] {
        updates.compactMap { update in
            guard let version = update["version"]?.string else { return nil }
            return AutopushAcknowledgment(version: version, code: code(update["code"]))
        }
    }

    private static func code(_ value: JSONValue?) -> Int? { value?.integer.flatMap { Int(exactly: $0) } }
}

/// The acknowledgment of one notification.
struct AutopushAcknowledgment: Hashable, Sendable {
    /// The notification's id.
    let version: String
    /// 100 if the message was decrypted and goes to the page's service worker, 101 if it could not be decrypted, 102 if
    /// no page takes it; `nil` if the browser does not say.
    let code: Int?
}

/// An error for a text that is no message of autopush.
enum AutopushError: Error, Hashable {
    case malformed
}
