internal import HTTPTypes
internal import JSON

/// The errors a client sees, `{"error":{"code":…,"message":…}}`; the table is docs/functions/runs.md.
struct RunsError: FunctionError, Hashable {
    let status: HTTPResponse.Status
    let code: String
    let message: String
    /// Seconds after which it may be worth another try.
    var retryAfter: Int64?

    static func unauthorized(_ message: String) -> RunsError {
        RunsError(status: .unauthorized, code: "unauthorized", message: message)
    }

    static func rateLimited(retryAfter seconds: Int64) -> RunsError {
        RunsError(
            status: .tooManyRequests, code: "rate_limited", message: "too many failed attempts", retryAfter: seconds)
    }

    static func invalidInput(_ message: String) -> RunsError {
        RunsError(status: .badRequest, code: "invalid_input", message: message)
    }

    static let deviceNotFound = RunsError(status: .notFound, code: "not_found", message: "device not found")
    static let nothingHere = RunsError(status: .notFound, code: "not_found", message: "there is nothing here")
    static let tooLarge = RunsError(
        status: .contentTooLarge, code: "invalid_input",
        message: "the body is larger than \(Runs.maximumBodyBytes) bytes")
    static let unsupportedEncoding = RunsError(
        status: .unsupportedMediaType, code: "invalid_input", message: RequestBodyError.unsupportedEncodingText)
    static let internalError = RunsError(
        status: .internalServerError, code: "internal_error", message: "internal error")
    /// Nothing was accepted; the store cannot write at the moment.
    static let unavailable = RunsError(
        status: .serviceUnavailable, code: "unavailable", message: "try again in a few seconds", retryAfter: 5)
    static let noRoom = RunsError(
        status: .serviceUnavailable, code: "unavailable", message: DiskAdvice.text, retryAfter: 5)

    var response: FunctionResponse {
        var headerFields: HTTPFields = [:]
        if status == .unauthorized { headerFields[.wwwAuthenticate] = "Bearer" }
        if status == .unsupportedMediaType { headerFields[.acceptEncoding] = RequestBodyError.acceptedEncodings }
        headerFields[.retryAfter] = retryAfter.map(String.init)
        return FunctionResponse(
            status: status, headerFields: headerFields,
            body: ["error": ["code": .string(code), "message": .string(message)]])
    }
}
