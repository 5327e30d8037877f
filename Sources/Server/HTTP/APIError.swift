package import HTTPTypes
package import Hummingbird
package import JSON

/// An error of the gateway's own endpoints, in the shape of Google's APIs:
/// `{"error":{"code":404,"message":"…","status":"NOT_FOUND"}}`.
package struct APIError: HTTPResponseError {
    /// The status of the response.
    package let status: HTTPResponse.Status
    /// The canonical name of the status, for example `NOT_FOUND`.
    package let name: String
    /// The mistake, and how to correct it.
    package let message: String
    /// More fields of the response.
    package var headers: HTTPFields = [:]
    /// Details for programs, each an object with an `@type`.
    package var details: [JSONValue] = []

    /// The error of a malformed request.
    package static func invalidArgument(_ message: String) -> APIError {
        APIError(status: .badRequest, name: "INVALID_ARGUMENT", message: message)
    }

    /// The error of a request for something that does not exist.
    package static func notFound(_ message: String) -> APIError {
        APIError(status: .notFound, name: "NOT_FOUND", message: message)
    }

    /// The error of a request that its client cancelled, or that the gateway cancelled at its shutdown.
    package static let cancelled = APIError(
        status: .serviceUnavailable, name: "CANCELLED", message: "the request was cancelled; try again")

    package init(status: HTTPResponse.Status, name: String, message: String, headers: HTTPFields = [:]) {
        self.status = status
        self.name = name
        self.message = message
        self.headers = headers
    }

    /// Returns the response that reports the error.
    package func response(from request: Request, context: some RequestContext) throws -> Response {
        Response(status: status, headers: headers, json: json)
    }

    /// The body of the response.
    package var json: JSONValue {
        var error: JSONObject = [
            "code": .integer(Int64(status.code)), "message": .string(message), "status": .string(name),
        ]
        if !details.isEmpty { error["details"] = .array(details) }
        return ["error": .object(error)]
    }
}
