internal import HTTPTypes
internal import Hummingbird
internal import JSON

/// An error of the token endpoint ([RFC 6749](https://www.rfc-editor.org/rfc/rfc6749) §5.2).
struct TokenError: Error {
    let code: String
    let description: String
    /// Seconds after which the same may be granted; `nil` if it never is.
    var retryAfter: Int64?

    static func invalidGrant(_ description: String) -> TokenError {
        TokenError(code: "invalid_grant", description: description)
    }

    /// Google's libraries take the status 429 for a reason to try again.
    static func rateLimited(_ description: String, retryAfter seconds: Int64) -> TokenError {
        TokenError(code: "rate_limit_exceeded", description: description, retryAfter: seconds)
    }

    var response: Response {
        var headers: HTTPFields = [:]
        headers[.retryAfter] = retryAfter.map(String.init)
        return Response(
            status: retryAfter == nil ? .badRequest : .tooManyRequests, headers: headers,
            json: ["error": .string(code), "error_description": .string(description)])
    }
}
