package import JSON
package import TestDoubles

/// An answer in Google's form.
package struct GoogleAnswer: Sendable {
    /// The HTTP status.
    package var status: Int
    /// The value of Retry-After in seconds.
    package var retryAfter: Int?
    /// The JSON of the body.
    package var body: JSONValue
    /// The gate that the answer waits for.
    package var gate: Gate?

    package init(status: Int, retryAfter: Int? = nil, body: JSONValue = [:], gate: Gate? = nil) {
        self.status = status
        self.retryAfter = retryAfter
        self.body = body
        self.gate = gate
    }

    static func accepted(id: Int) -> GoogleAnswer {
        GoogleAnswer(status: 200, body: ["name": "projects/\(GoogleStandIn.projectID)/messages/0:\(id)"])
    }

    /// Returns an error of OAuth (RFC 6749 §5.2).
    package static func oauth(_ status: Int, _ error: String, _ description: String) -> GoogleAnswer {
        GoogleAnswer(status: status, body: ["error": .string(error), "error_description": .string(description)])
    }

    /// Returns an error in the form of Google's APIs.
    package static func error(
        _ code: Int, _ status: String, _ message: String, details: [JSONValue] = [], retryAfter: Int? = nil
    ) -> GoogleAnswer {
        let error: JSONValue = [
            "code": .integer(Int64(code)), "message": .string(message), "status": .string(status),
            "details": .array(details),
        ]
        return GoogleAnswer(status: code, retryAfter: retryAfter, body: ["error": error])
    }

    /// The answer without the details that tell FCM's errors apart.
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
