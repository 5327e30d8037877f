internal import HTTPTypes

/// The errors a client sees, a line of plain text; the table is docs/functions/turns.md.
struct TurnsError: FunctionError, Hashable {
    let status: HTTPResponse.Status
    /// For metrics.
    let code: String
    let message: String
    /// Seconds after which it may be worth another try.
    var retryAfter: Int64?

    static let keyRequired = TurnsError(status: .unauthorized, code: "unauthorized", message: "API key required")
    static let invalidKey = TurnsError(status: .unauthorized, code: "unauthorized", message: "Invalid API key")
    static let invalidJSON = invalid("Invalid JSON")
    static let fieldsRequired = invalid("user_id and device_token are required")
    static let invalidUserID = invalid("Invalid user ID")
    static let tokenRequired = invalid("Device token is required")
    static let tokenTooLong = invalid("Device token is too long")
    static let tooLarge = TurnsError(
        status: .contentTooLarge, code: "too_large",
        message: "The body is larger than \(Turns.maximumBodyBytes) bytes")
    static let unsupportedEncoding = TurnsError(
        status: .unsupportedMediaType, code: "unsupported_encoding", message: RequestBodyError.unsupportedEncodingText)
    static let nothingHere = TurnsError(status: .notFound, code: "not_found", message: "Not found")
    static let statusUnknown = TurnsError(
        status: .internalServerError, code: "site_failed", message: "Failed to fetch turn status")
    static let gamesUnknown = TurnsError(
        status: .serviceUnavailable, code: "site_failed", message: "Failed to fetch user games", retryAfter: 5)
    static let internalError = TurnsError(
        status: .internalServerError, code: "internal_error", message: "Internal server error")
    /// Nothing was accepted; the store cannot write at the moment.
    static let unavailable = TurnsError(
        status: .serviceUnavailable, code: "unavailable", message: "Try again in a few seconds", retryAfter: 5)
    static let noRoom = TurnsError(
        status: .serviceUnavailable, code: "unavailable", message: DiskAdvice.text, retryAfter: 5)

    static func tooManyPlayers(retryAfter seconds: Int64) -> TurnsError {
        TurnsError(
            status: .tooManyRequests, code: "rate_limited", message: "Too many registrations, try again later",
            retryAfter: seconds)
    }

    /// A page of another site may have made the request, and no key is asked for.
    static func foreignOrigin(_ reason: String) -> TurnsError {
        TurnsError(status: .forbidden, code: "foreign_origin", message: reason)
    }

    static func tooManyFailures(retryAfter seconds: Int64) -> TurnsError {
        TurnsError(
            status: .tooManyRequests, code: "rate_limited", message: "Too many failed attempts, try again later",
            retryAfter: seconds)
    }

    private static func invalid(_ message: String) -> TurnsError {
        TurnsError(status: .badRequest, code: "invalid_input", message: message)
    }

    var response: FunctionResponse {
        var headerFields: HTTPFields = [:]
        headerFields[.retryAfter] = retryAfter.map(String.init)
        if status == .unsupportedMediaType { headerFields[.acceptEncoding] = RequestBodyError.acceptedEncodings }
        return FunctionResponse(status: status, headerFields: headerFields, content: .text(message + "\n"))
    }
}
