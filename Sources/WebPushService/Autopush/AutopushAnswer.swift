import Cryptography
import JSON

/// A message from the service to Firefox over its WebSocket.
enum AutopushAnswer: Hashable, Sendable {
    case hello(userAgentID: String)
    case registered(channel: String, endpoint: String)
    /// The refusal of a registration, such as 400 for a key that is not on the curve.
    case notRegistered(channel: String, status: Int)
    case unregistered(channel: String)
    case notification(AutopushNotification)

    /// The message as JSON.
    var text: String { json.text }

    private var json: JSONValue {
        switch self {
        case .hello(let userAgentID):
            [
                "messageType": "hello", "uaid": .string(userAgentID), "status": 200, "use_webpush": true,
                "broadcasts": [:],
            ]
        case .registered(let channel, let endpoint):
            [
                "messageType": "register", "channelID": .string(channel), "status": 200,
                "pushEndpoint": .string(endpoint),
            ]
        case .notRegistered(let channel, let status):
            ["messageType": "register", "channelID": .string(channel), "status": .integer(Int64(status))]
        case .unregistered(let channel):
            ["messageType": "unregister", "channelID": .string(channel), "status": 200]
        case .notification(let notification): notification.json
        }
    }
}

/// A push message as Firefox receives it.
struct AutopushNotification: Hashable, Sendable {
    let channel: String
    /// The id by which the browser acknowledges the message.
    let version: String
    /// The content encoding of ``body``; `nil` for a message without a body.
    let encoding: String?
    /// The encrypted message.
    let body: [UInt8]

    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "messageType": "notification", "channelID": .string(channel), "version": .string(version),
        ]
        if let encoding {
            object["data"] = .string(Base64URL.encode(body))
            object["headers"] = ["encoding": .string(encoding)]
        }
        return .object(object)
    }
}
