import Cryptography
public import JSON
import Logging
import Texts

/// A request that the simulator has received, and its answer.
///
/// Device tokens are complete here: the devices are simulated, and the history is visible on loopback only. Of a
/// provider token only the claims are kept, never the token.
public struct ReceivedNotification: Sendable {
    /// The number of the request since the start or the last reset, from 1.
    public internal(set) var number: Int
    /// The number of the connection it came over, from 1.
    public let connection: Int
    /// The time at which the request was complete, in milliseconds since 1970.
    public let receivedAt: Int64
    /// The device token in lower case; `nil` if the path had none.
    public let token: String?
    /// The `apns-id` of the answer: the sender's, or a generated one.
    public let apnsID: String
    /// The header fields whose names start with `apns-`, as received.
    public let headers: [(name: String, value: String)]
    /// The claims of the provider token; `nil` if the token was not valid.
    public let providerToken: ProviderTokenClaims?
    /// The payload as received.
    public let body: [UInt8]
    /// The HTTP status of the answer.
    public let status: Int
    /// The reason in the answer; `nil` for 200.
    public let reason: String?
    /// The cause of a refusal, as a sentence; `nil` for 200.
    public internal(set) var cause: String?
    /// Departures from Apple's documentation that the simulator accepted.
    public internal(set) var deviations: [Deviation] = []
    /// The channel of a broadcast; `nil` for a notification to a device.
    public internal(set) var channel: String?

    /// The payload as JSON; `nil` if it is not JSON.
    public var payload: JSONValue? { try? JSONValue(parsing: body) }
    /// The value of `apns-topic`.
    public var topic: String? { header("apns-topic") }
    /// The value of `apns-push-type`.
    public var pushType: String? { header("apns-push-type") }
    /// The value of `apns-priority`: `10`, `5` or `1` if valid.
    public var priority: String? { header("apns-priority") }
    /// The value of `apns-expiration`: seconds since 1970 if valid.
    public var expiration: String? { header("apns-expiration") }
    /// The value of `apns-collapse-id`.
    public var collapseID: String? { header("apns-collapse-id") }
    /// `true` if the answer was 200.
    public var isAccepted: Bool { status == 200 }

    /// Returns the first value of a header field.
    ///
    /// - Parameter name: The name in lower case, beginning with `apns-`.
    public func header(_ name: String) -> String? {
        headers.first { $0.name == name }?.value
    }
}

extension ReceivedNotification {
    /// Returns the metadata of a log line: the fingerprint of the device token, as a gateway logs it, excerpts of
    /// header fields, and the sizes of the payload and the collapse id.
    func metadata(cause: String) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "status": "\(status)", "reason": "\(reason ?? "")", "cause": "\(cause)", "connection": "\(connection)",
            "apns_id": "\(apnsID)", "payload_bytes": "\(body.count)",
        ]
        if let token { metadata["token"] = "token#\(SHA256.hexadecimal(of: token).prefix(8))" }
        for (key, value) in [
            ("topic", topic), ("push_type", pushType), ("priority", priority), ("expiration", expiration),
        ] {
            if let value { metadata[key] = "\(value.excerpt)" }
        }
        if let collapseID { metadata["collapse_id_bytes"] = "\(collapseID.utf8.count)" }
        if let providerToken {
            metadata["key_id"] = "\(providerToken.keyID.excerpt)"
            metadata["team_id"] = "\(providerToken.teamID.excerpt)"
        }
        if !deviations.isEmpty { metadata["deviations"] = "\(deviations.map(\.rawValue).joined(separator: ", "))" }
        return metadata
    }
}

/// JSON of notifications, at the control address.
///
/// The device token is complete: the devices are simulated, and the address is on loopback. Of the provider token only
/// the claims are shown.
extension ReceivedNotification {
    var json: JSONValue {
        var object: JSONObject = [
            "number": .integer(Int64(number)), "connection": .integer(Int64(connection)),
            "received_at": .integer(receivedAt), "token": token.map(JSONValue.string) ?? .null,
            "apns_id": .string(apnsID), "headers": .object(JSONObject(headers.map { ($0.name, .string($0.value)) })),
        ]
        object["channel"] = channel.map(JSONValue.string)
        object["provider_token"] = providerToken?.json
        object["payload"] = payload ?? .null
        // A payload that is not JSON is shown as text.
        if payload == nil, !body.isEmpty { object["body"] = .string(String(decoding: body, as: UTF8.self)) }
        object["status"] = .integer(Int64(status))
        object["reason"] = reason.map(JSONValue.string)
        object["cause"] = cause.map(JSONValue.string)
        if !deviations.isEmpty { object["deviations"] = .array(deviations.map { .string($0.rawValue) }) }
        return .object(object)
    }
}

extension ProviderTokenClaims {
    var json: JSONValue {
        ["key_id": .string(keyID), "team_id": .string(teamID), "issued_at": .integer(issuedAt)]
    }
}
