import HTTPTypes
import Hummingbird
import JSON
import Server

/// An error of the token endpoint ([RFC 6749](https://www.rfc-editor.org/rfc/rfc6749) §5.2).
struct TokenError: Error {
    let code: String
    let description: String
    /// The seconds after which the same request may succeed; `nil` if it cannot.
    let retryAfter: Int64?
    private var status = HTTPResponse.Status.badRequest
    private var headers: HTTPFields = [:]

    static func invalidGrant(_ description: String) -> TokenError {
        TokenError(code: "invalid_grant", description: description)
    }

    /// Returns an error with status 429, on which Google's libraries try again.
    static func rateLimited(_ description: String, retryAfter seconds: Int64) -> TokenError {
        TokenError(code: "rate_limit_exceeded", description: description, retryAfter: seconds)
    }

    /// Wraps the error of a body that cannot be read.
    init(_ error: APIError) {
        self.init(code: "invalid_request", description: error.message)
        status = error.status
        headers = error.headers
    }

    init(code: String, description: String, retryAfter: Int64? = nil) {
        self.code = code
        self.description = description
        self.retryAfter = retryAfter
        if retryAfter != nil { status = .tooManyRequests }
    }

    var response: Response {
        var headers = headers
        headers[.retryAfter] = retryAfter.map(String.init)
        return Response(
            status: status, headers: headers,
            json: ["error": .string(code), "error_description": .string(description)])
    }
}
