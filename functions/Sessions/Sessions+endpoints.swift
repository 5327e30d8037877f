import DocumentStore
import HTTPTypes
import JSON

/// The shared parts of the endpoints: the key, and the form of errors.
extension Sessions {
    /// The maximum size of a body, in bytes. A hook's event contains the complete input and output of a tool.
    static let maximumBodyBytes = 2 * 1024 * 1024

    /// Returns the group of endpoints that require a key.
    func requiring(_ key: RequiredKey) -> EndpointGroup<SessionsError> {
        EndpointGroup("sessions", SessionsError.self, logger: logger) { try await authorize($0, for: key) }
    }

    private func authorize(_ request: FunctionRequest, for key: RequiredKey) async throws {
        let credential = BearerCredential(exactly: request.headerFields[.authorization])
        let access = try await access(by: credential)
        switch request.verdict(on: credential, isRight: access != nil, by: authentication, at: now().seconds) {
        case .accepted: break
        case .rejected: throw SessionsError.unauthorized
        case .tooManyFailures(let seconds): throw SessionsError.rateLimited(retryAfter: seconds)
        }
        guard let access else { throw SessionsError.unauthorized }
        if let made = access.made { try await use(made) }
        try access.check(request, for: key)
    }

    /// Returns the access of a key, or `nil` if the key is unknown.
    private func access(by credential: BearerCredential?) async throws(StoreError) -> KeyAccess? {
        guard let credential else { return nil }
        if let access = settings.access(by: credential) { return access }
        return try await keys.key(credential).map { KeyAccess(scopes: $0.scopes, made: $0) }
    }

    private func use(_ key: SessionKey) async throws(SessionsError) {
        if let seconds = keys.admit(key) { throw .tooManyRequests(key.rateLimit ?? 0, retryAfter: seconds) }
        await keys.noteUse(of: key)
    }
}

extension FunctionResponse {
    /// The response to a successful request without other content.
    static let done = FunctionResponse(body: ["status": "ok"])
}

extension KeyAccess {
    /// - Throws: An error if this key, or the client's location, does not allow the request.
    fileprivate func check(_ request: FunctionRequest, for key: RequiredKey) throws(SessionsError) {
        switch key {
        case .any: return
        case .scoped(let scope): guard scopes.contains(scope) else { throw .forbidden }
        case .localMaster:
            guard isMaster else { throw .forbidden }
            guard request.isFromLoopback else { throw .notLocal }
        }
    }
}

/// The errors that clients receive, `{"error":code,"message":…}`. docs/functions/sessions.md has the table.
struct SessionsError: FunctionError, Hashable {
    let status: HTTPResponse.Status
    let code: String
    let message: String
    /// The delay after which a retry may succeed, in seconds.
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
        FunctionResponse(
            error: status, retryAfter: retryAfter,
            body: ["error": .string(code), "message": .string(message)])
    }
}

extension SessionsError {
    static func translation(of error: any Error) -> SessionsError? {
        switch error {
        case let error as SubscriptionFieldError: .badRequest(error.text)
        case let error as LiveActivityPart.Refusal: .badRequest(error.text)
        default: nil
        }
    }

    init(_ error: JSONBodyError) {
        self =
            switch error {
            case .unreadable(.tooLarge): .tooLarge
            case .unreadable(.incomplete): .badRequest("the body ended early")
            case .unreadable(.malformedEncoding): .badRequest(RequestBodyError.malformedEncodingText)
            case .unreadable(.unsupportedEncoding): .unsupportedEncoding
            case .malformed, .notAnObject: .badRequest("the body must be a JSON object")
            }
    }
}
