import JSON

/// Notifications as the control address writes them.
///
/// The device token is whole: the phones are pretended, and the address is on loopback. The provider token is not
/// there, only what it claims.
extension ReceivedNotification {
    var json: JSONValue {
        var object: JSONObject = [
            "number": .integer(Int64(number)), "connection": .integer(Int64(connection)),
            "received_at": .integer(receivedAt), "token": token.map(JSONValue.string) ?? .null,
            "apns_id": .string(apnsID), "headers": .object(JSONObject(headers.map { ($0.name, .string($0.value)) })),
        ]
        object["provider_token"] = providerToken?.json
        object["payload"] = payload ?? .null
        // What is no JSON is shown as the text it may be.
        if payload == nil, !body.isEmpty { object["body"] = .string(String(decoding: body, as: UTF8.self)) }
        object["status"] = .integer(Int64(status))
        object["reason"] = reason.map(JSONValue.string)
        object["cause"] = cause.map(JSONValue.string)
        if !deviations.isEmpty { object["deviations"] = .array(deviations.map { .string($0.rawValue) }) }
        return .object(object)
    }
}

extension ProviderToken {
    var json: JSONValue {
        ["key_id": .string(keyID), "team_id": .string(teamID), "issued_at": .integer(issuedAt)]
    }
}
