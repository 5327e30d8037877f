import HTTPTypes
import JSON
import Messaging

/// The errors that clients receive, `{"error":"<code>"}`. docs/functions/codeagents.md has the table.
struct CodeAgentsError: FunctionError, Hashable {
    let status: HTTPResponse.Status
    let code: String
    var retryAfter: Int64?
    /// A text for people, if the code alone does not say what to do.
    var message: String?

    static let badRequest = CodeAgentsError(status: .badRequest, code: "bad_request")
    static let tokenAndSubscription = CodeAgentsError(
        status: .badRequest, code: "bad_request", message: SubscriptionField.problem(beside: BodyField.fcmToken.name))
    static let appNotConfigured = CodeAgentsError(status: .badRequest, code: "app_not_configured")
    static let unauthorized = CodeAgentsError(status: .unauthorized, code: "unauthorized")
    static let serverNotAllowed = CodeAgentsError(
        status: .forbidden, code: "server_not_allowed",
        message: "the gateway's operator has to allow this server: pushgate servers allow SERVER_KEY")
    static let notFound = CodeAgentsError(status: .notFound, code: "not_found")
    static let methodNotAllowed = CodeAgentsError(status: .methodNotAllowed, code: "method_not_allowed")
    static let payloadTooLarge = CodeAgentsError(status: .contentTooLarge, code: "payload_too_large")
    static let unsupportedMediaType = CodeAgentsError(status: .unsupportedMediaType, code: "unsupported_media_type")
    static let unsupportedEncoding = CodeAgentsError(
        status: .unsupportedMediaType, code: "unsupported_media_type",
        message: RequestBodyError.unsupportedEncodingText)
    /// The code is wrong, was exchanged, or is too old; the answer is the same for all of these.
    static let unknownCode = CodeAgentsError(
        status: .notFound, code: "unknown_code",
        message: "the code is wrong, was used, or is older than ten minutes; “pushgate pair” makes another one")
    /// A browser on another machine sent no code.
    static let codeRequired = CodeAgentsError(
        status: .forbidden, code: "code_required",
        message: "a browser that is not on the gateway's own machine needs a code; “pushgate pair” makes one")
    static let internalError = CodeAgentsError(status: .internalServerError, code: "internal_error")
    /// The server has the maximum number of agents, and this agent is new.
    static let tooManyAgents = CodeAgentsError(status: .conflict, code: "too_many_agents")
    /// The agent has the maximum number of devices, and this device is new.
    static let tooManyDevices = CodeAgentsError(status: .conflict, code: "too_many_devices")
    static let invalidIdempotencyKey = CodeAgentsError(
        status: .badRequest, code: "idempotency_key_invalid", message: IdempotencyError.invalidKey.text)
    /// The server has used the key for another trigger.
    static let reusedIdempotencyKey = CodeAgentsError(
        status: .conflict, code: "idempotency_key_reused", message: IdempotencyError.reused.text)
    /// Nothing was accepted; the store cannot write at the moment.
    static let unavailable = CodeAgentsError(status: .serviceUnavailable, code: "unavailable", retryAfter: 5)
    static let noRoom = CodeAgentsError(
        status: .serviceUnavailable, code: "unavailable", retryAfter: 5, message: DiskAdvice.text)

    static func tooLong(_ field: String) -> CodeAgentsError {
        CodeAgentsError(status: .badRequest, code: "\(field)_too_long")
    }

    static func foreignOrigin(_ reason: String) -> CodeAgentsError {
        CodeAgentsError(status: .forbidden, code: "foreign_origin", message: reason)
    }

    static func rateLimited(retryAfter seconds: Int64) -> CodeAgentsError {
        CodeAgentsError(status: .tooManyRequests, code: "rate_limited", retryAfter: seconds)
    }

    var response: FunctionResponse {
        var headerFields: HTTPFields = [:]
        headerFields[.retryAfter] = retryAfter.map(String.init)
        if status == .methodNotAllowed { headerFields[.allow] = "POST" }
        if status == .unauthorized { headerFields[.wwwAuthenticate] = "Bearer" }
        if self == .unsupportedEncoding { headerFields[.acceptEncoding] = RequestBodyError.acceptedEncodings }
        var body: JSONObject = ["error": .string(code)]
        body["message"] = message.map(JSONValue.string)
        return FunctionResponse(status: status, headerFields: headerFields, body: .object(body))
    }
}

extension CodeAgentsError {
    static func translation(of error: any Error) -> CodeAgentsError? {
        switch error as? IdempotencyError {
        case .invalidKey?: .invalidIdempotencyKey
        case .reused?: .reusedIdempotencyKey
        case nil: nil
        }
    }

    init(_ error: JSONBodyError) {
        self = if case .unreadable(let error) = error { CodeAgentsError(error) } else { .badRequest }
    }

    init(_ error: SubscriptionFieldError) {
        let code =
            switch error.refusal {
            case .invalid(_): "\(error.field)_invalid"
            case .switchedOff(_): "\(error.field)_not_configured"
            }
        self.init(status: .badRequest, code: code, message: error.text)
    }

    init(_ error: RequestBodyError) {
        self =
            switch error {
            case .tooLarge: .payloadTooLarge
            case .incomplete, .malformedEncoding: .badRequest
            case .unsupportedEncoding: .unsupportedEncoding
            }
    }
}
