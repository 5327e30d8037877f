import Cryptography
import JSON
import Logging
import Texts

/// A request that the service has received from an application server, and its answer.
///
/// Endpoints are complete here: the history is visible on loopback only. Of a VAPID token only the claims are kept, and
/// of the content only the encrypted form.
public struct ReceivedMessage: Sendable {
    /// The number of the request since the start or the last reset, from 1.
    public internal(set) var number = 0
    /// The number of the connection it came over, from 1.
    public let connection: Int
    /// The time at which the request was complete, in milliseconds since 1970.
    public let receivedAt: Int64
    /// The service whose rules the request was checked by.
    public let service: PushServiceProfile
    /// The capability in the endpoint's path; `nil` if the path had none.
    public let token: String?
    /// The id of an accepted message, which its URL in the answer's `location` ends with; `nil` if it was refused.
    public let messageID: String?
    /// The header fields of Web Push, as received. `authorization` is not among them.
    public let headers: [(name: String, value: String)]
    /// The claims of the VAPID token; `nil` if there was none, or it was not valid.
    public let claims: VAPIDClaims?
    /// The encrypted body as received.
    public let body: [UInt8]
    /// The HTTP status of the answer; `nil` if a script ends the request without an answer.
    public let status: Int?
    /// The reason in the answer; `nil` if it was accepted.
    public let reason: String?
    /// The cause of a refusal, as a sentence; `nil` if the request was accepted.
    public let cause: String?
    /// Departures from the specifications that the service accepted.
    public let deviations: [PushDeviation]
    /// The state of an accepted message; `nil` if it was refused.
    public internal(set) var delivery: MessageDelivery?
    /// The code of the browser's acknowledgment, such as Firefox's 101 for a message that it could not decrypt; `nil`
    /// if there is none.
    public internal(set) var deliveryCode: Int?

    /// The value of `ttl`.
    public var timeToLive: String? { header("ttl") }
    /// The value of `urgency`.
    public var urgency: String? { header("urgency") }
    /// The value of `topic`.
    public var topic: String? { header("topic") }
    /// `true` if the message was accepted.
    public var isAccepted: Bool { messageID != nil }

    /// Returns the first value of a header field.
    ///
    /// - Parameter name: The name in lower case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name == name }?.value
    }
}

extension ReceivedMessage {
    /// Returns the metadata of a log line about a refusal: a fingerprint of the token and excerpts of header fields.
    func metadata(cause: String) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "status": "\(status.map { String($0) } ?? "none")", "reason": "\(reason ?? "")", "cause": "\(cause)",
            "connection": "\(connection)", "service": "\(service.rawValue)", "body_bytes": "\(body.count)",
        ]
        if let token { metadata["token"] = "token#\(SHA256.hexadecimal(of: token).prefix(8))" }
        for (key, value) in [("ttl", timeToLive), ("urgency", urgency)] {
            if let value { metadata[key] = "\(value.excerpt)" }
        }
        if let topic { metadata["topic_bytes"] = "\(topic.utf8.count)" }
        if let subject = claims?.subject { metadata["subject"] = "\(subject.excerpt)" }
        if !deviations.isEmpty { metadata["deviations"] = "\(deviations.map(\.rawValue).joined(separator: ", "))" }
        return metadata
    }
}

/// JSON of messages, at the control address.
extension ReceivedMessage {
    var json: JSONValue {
        var object: JSONObject = [
            "number": .integer(Int64(number)), "connection": .integer(Int64(connection)),
            "received_at": .integer(receivedAt), "service": .string(service.rawValue),
            "token": token.map(JSONValue.string) ?? .null,
            "headers": .object(JSONObject(headers.map { ($0.name, .string($0.value)) })),
        ]
        object["vapid"] = claims?.json
        object["body"] = .string(Base64URL.encode(body))
        object["status"] = status.map { .integer(Int64($0)) } ?? .null
        object["message_id"] = messageID.map(JSONValue.string)
        object["reason"] = reason.map(JSONValue.string)
        object["cause"] = cause.map(JSONValue.string)
        if !deviations.isEmpty { object["deviations"] = .array(deviations.map { .string($0.rawValue) }) }
        object["delivery"] = delivery.map { .string($0.rawValue) }
        object["delivery_code"] = deliveryCode.map { .integer(Int64($0)) }
        return .object(object)
    }
}

extension VAPIDClaims {
    var json: JSONValue {
        var object: JSONObject = ["aud": .string(audience), "exp": .integer(expiration)]
        object["sub"] = subject.map(JSONValue.string)
        object["key"] = .string(publicKey)
        return .object(object)
    }
}
