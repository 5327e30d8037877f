public import JSON
public import TestDoubles

/// An answer as Google would give it.
public struct GoogleAnswer: Sendable {
    public var status: Int
    /// In seconds.
    public var retryAfter: Int?
    public var body: JSONValue
    /// Before which the answer waits.
    public var gate: Gate?

    public init(status: Int, retryAfter: Int? = nil, body: JSONValue = [:], gate: Gate? = nil) {
        self.status = status
        self.retryAfter = retryAfter
        self.body = body
        self.gate = gate
    }

    static func accepted(id: Int) -> GoogleAnswer {
        GoogleAnswer(status: 200, body: ["name": "projects/\(GoogleStandIn.projectID)/messages/0:\(id)"])
    }

    /// An error of OAuth's (RFC 6749 §5.2).
    public static func oauth(_ status: Int, _ error: String, _ description: String) -> GoogleAnswer {
        GoogleAnswer(status: status, body: ["error": .string(error), "error_description": .string(description)])
    }

    /// An error in the form of Google's APIs.
    public static func error(
        _ code: Int, _ status: String, _ message: String, details: [JSONValue] = [], retryAfter: Int? = nil
    ) -> GoogleAnswer {
        let error: JSONValue = [
            "code": .integer(Int64(code)), "message": .string(message), "status": .string(status),
            "details": .array(details),
        ]
        return GoogleAnswer(status: code, retryAfter: retryAfter, body: ["error": error])
    }

    /// Without what tells FCM's errors from one another.
    var withoutDetails: GoogleAnswer {
        guard var error = body["error"]?.object else { return self }
        error["details"] = nil
        var answer = self
        answer.body = ["error": .object(error)]
        return answer
    }

    static let unauthenticated = error(
        401, "UNAUTHENTICATED", "Request had invalid authentication credentials. Expected OAuth 2 access token.",
        details: [detail("google.rpc.ErrorInfo", ["reason": "ACCESS_TOKEN_EXPIRED"])])

    static func detail(_ type: String, _ members: JSONObject) -> JSONValue {
        var detail: JSONObject = ["@type": .string("type.googleapis.com/" + type)]
        for (name, value) in members.members { detail[name] = value }
        return .object(detail)
    }
}
