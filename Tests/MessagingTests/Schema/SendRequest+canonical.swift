import JSON
import Messaging

extension SendRequest {
    /// The request in FCM's canonical form: lowerCamelCase, with tokens.
    var json: JSONValue {
        var message = message.json.object ?? [:]
        switch target {
        case .token(let token): message["token"] = .string(token.value)
        case .fid(let fid): message["fid"] = .string(fid)
        case .topic(let topic): message["topic"] = .string(topic)
        case .condition(let condition): message["condition"] = .string(condition.description)
        }
        var request: JSONObject = ["message": .object(message)]
        if isValidateOnly { request["validateOnly"] = true }
        return .object(request)
    }
}

/// Returns the canonical form of a message with the fields, addressed to a token.
func canonical(_ fields: JSONObject) throws(InvalidRequest) -> JSONValue {
    var message = fields
    message["token"] = "t"
    return try SendRequest(json: ["message": .object(message)]).json["message"] ?? .null
}
