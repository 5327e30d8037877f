import HTTPTypes
import JSON
import Messaging

/// The errors that clients receive, `{"error":"<code>","message":"<text>"}`. docs/functions/codeagents.md has the table
/// of the codes.
struct CodeAgentsError: FunctionError, Hashable {
    let status: HTTPResponse.Status
    let code: String
    var retryAfter: Int64?
    /// The reason for people, with what to do. It contains nothing that a client sent but names and numbers.
    var message: String

    static let notAnObject = badRequest("the body is JSON, but not an object such as {\"cwd\":\"/srv/app\"}")
    /// The id cannot be that of a document.
    static let unusableInstallationID = badRequest(
        "\(BodyField.installationID.name) cannot be used: it must have no slash, not be “.” or “..”, and not have two "
            + "underscores at both ends")
    static let tokenAndSubscription = badRequest(SubscriptionField.problem(beside: BodyField.fcmToken.name))
    static let appNotConfigured = CodeAgentsError(
        status: .badRequest, code: "app_not_configured",
        message: "this gateway does not send for the app of this bundle_id; its operator adds the app to its settings")
    static let serverNotAllowed = CodeAgentsError(
        status: .forbidden, code: "server_not_allowed",
        message: "the gateway's operator has to allow this server: pushgate servers allow SERVER_KEY")
    static let notFound = CodeAgentsError(
        status: .notFound, code: "not_found", message: "the path continues after the name of the function")
    static let methodNotAllowed = CodeAgentsError(
        status: .methodNotAllowed, code: "method_not_allowed", message: "the function takes POST requests only")
    static let payloadTooLarge = CodeAgentsError(
        status: .contentTooLarge, code: "payload_too_large",
        message: "the body has more than \(CodeAgents.maximumBodyBytes) bytes; shorten its values")
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
    /// The credential of a paired device is wrong, or has ended.
    static let unknownCredential = unauthorized(
        "the Authorization header has no valid credential of a paired browser; pair the browser again")
    static let internalError = CodeAgentsError(
        status: .internalServerError, code: "internal_error", message: "the gateway failed; its log has the cause")
    /// The server has the maximum number of agents, and this agent is new.
    static let tooManyAgents = CodeAgentsError(
        status: .conflict, code: "too_many_agents",
        message: "this server has as many agents as the gateway allows (functions.codeagents.maximumAgentsPerServer)")
    /// The agent has the maximum number of devices, and this device is new.
    static let tooManyDevices = CodeAgentsError(
        status: .conflict, code: "too_many_devices",
        message: "this agent has as many devices as the gateway allows (functions.codeagents.maximumDevicesPerAgent)")
    static let invalidIdempotencyKey = CodeAgentsError(
        status: .badRequest, code: "idempotency_key_invalid", message: IdempotencyError.invalidKey.text)
    /// The server has used the key for another trigger.
    static let reusedIdempotencyKey = CodeAgentsError(
        status: .conflict, code: "idempotency_key_reused", message: IdempotencyError.reused.text)
    /// Nothing was accepted; the store cannot write at the moment.
    static let unavailable = CodeAgentsError(
        status: .serviceUnavailable, code: "unavailable", retryAfter: 5,
        message: "the gateway cannot write at the moment, so nothing was accepted; its log has the cause")
    static let noRoom = CodeAgentsError(
        status: .serviceUnavailable, code: "unavailable", retryAfter: 5, message: DiskAdvice.text)

    static func badRequest(_ message: String) -> CodeAgentsError {
        CodeAgentsError(status: .badRequest, code: "bad_request", message: message)
    }

    static func unauthorized(_ message: String) -> CodeAgentsError {
        CodeAgentsError(status: .unauthorized, code: "unauthorized", message: message)
    }

    static func unsupportedMediaType(_ message: String) -> CodeAgentsError {
        CodeAgentsError(status: .unsupportedMediaType, code: "unsupported_media_type", message: message)
    }

    /// The error of a registration's part for Live Activities.
    static func invalidLiveActivity(_ refusal: LiveActivityPart.Refusal) -> CodeAgentsError {
        CodeAgentsError(status: .badRequest, code: "live_activity_invalid", message: refusal.text)
    }

    static func tooLong(_ field: BodyField) -> CodeAgentsError {
        CodeAgentsError(
            status: .badRequest, code: "\(field.name)_too_long",
            message: "\(field.name) is longer than \(field.maximumLength) UTF-16 code units")
    }

    static func foreignOrigin(_ reason: String) -> CodeAgentsError {
        CodeAgentsError(status: .forbidden, code: "foreign_origin", message: reason)
    }

    static func rateLimited(retryAfter seconds: Int64) -> CodeAgentsError {
        CodeAgentsError(
            status: .tooManyRequests, code: "rate_limited", retryAfter: seconds,
            message: "there were too many requests; the next one is taken in \(seconds) s")
    }

    var response: FunctionResponse {
        var headerFields: HTTPFields = [:]
        headerFields[.retryAfter] = retryAfter.map(String.init)
        if status == .methodNotAllowed { headerFields[.allow] = "POST" }
        if status == .unauthorized { headerFields[.wwwAuthenticate] = "Bearer" }
        if self == .unsupportedEncoding { headerFields[.acceptEncoding] = RequestBodyError.acceptedEncodings }
        return FunctionResponse(
            status: status, headerFields: headerFields, body: ["error": .string(code), "message": .string(message)])
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
        self =
            switch error {
            case .unreadable(let error): CodeAgentsError(error)
            case .malformed: .badRequest("the body is not JSON")
            case .notAnObject: .notAnObject
            }
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
            case .incomplete: .badRequest("the body ended early, or came too slowly")
            case .malformedEncoding: .badRequest(RequestBodyError.malformedEncodingText)
            case .unsupportedEncoding: .unsupportedEncoding
            }
    }
}
