internal import HTTPTypes
internal import JSON

/// The errors a client sees, `{"error":code,"message":…}`; the table is docs/functions/sessions.md.
struct SessionsError: FunctionError, Hashable {
    let status: HTTPResponse.Status
    let code: String
    let message: String
    /// Seconds after which it may be worth another try.
    var retryAfter: Int64?

    static let unauthorized = SessionsError(
        status: .unauthorized, code: "unauthorized", message: "Invalid or missing API key")
    static let forbidden = SessionsError(
        status: .forbidden, code: "forbidden", message: "Insufficient permissions for this endpoint")

    static let notLocal = SessionsError(
        status: .forbidden, code: "forbidden",
        message: "This endpoint only answers requests from the gateway's own machine")

    static func rateLimited(retryAfter seconds: Int64) -> SessionsError {
        SessionsError(
            status: .tooManyRequests, code: "rate_limited", message: "Too many failed authentication attempts",
            retryAfter: seconds)
    }

    static func tooManyRequests(_ limit: Int64, retryAfter seconds: Int64) -> SessionsError {
        SessionsError(
            status: .tooManyRequests, code: "rate_limited",
            message: "Too many requests: this API key may make \(limit) a minute", retryAfter: seconds)
    }

    static func badRequest(_ message: String) -> SessionsError {
        SessionsError(status: .unprocessableContent, code: "bad_request", message: message)
    }

    static let tooLarge = SessionsError(
        status: .contentTooLarge, code: "bad_request",
        message: "the body is larger than \(Sessions.maximumBodyBytes) bytes")
    static let unsupportedEncoding = SessionsError(
        status: .unsupportedMediaType, code: "bad_request", message: RequestBodyError.unsupportedEncodingText)
    static let nothingHere = SessionsError(status: .notFound, code: "not_found", message: "there is nothing here")
    static let noSuchKey = SessionsError(status: .notFound, code: "not_found", message: "API key not found")
    static let internalError = SessionsError(
        status: .internalServerError, code: "internal_error", message: "Internal server error")
    /// Nothing was accepted; the store cannot write at the moment.
    static let unavailable = SessionsError(
        status: .serviceUnavailable, code: "unavailable", message: "try again in a few seconds", retryAfter: 5)
    static let noRoom = SessionsError(
        status: .serviceUnavailable, code: "unavailable", message: DiskAdvice.text, retryAfter: 5)

    var response: FunctionResponse {
        var headerFields: HTTPFields = [:]
        if status == .unauthorized { headerFields[.wwwAuthenticate] = "Bearer" }
        if status == .unsupportedMediaType { headerFields[.acceptEncoding] = RequestBodyError.acceptedEncodings }
        headerFields[.retryAfter] = retryAfter.map(String.init)
        return FunctionResponse(
            status: status, headerFields: headerFields,
            body: ["error": .string(code), "message": .string(message)])
    }
}
