import DocumentStore
import HTTPTypes
import JSON
import Messaging

/// The endpoint that publishes.
extension Publishing {
    var group: EndpointGroup<PublishingError> {
        EndpointGroup(Self.source, PublishingError.self, logger: logger) { try await authorize($0) }
    }

    /// Checks the token, and that it is for the topic in the path.
    private func authorize(_ request: FunctionRequest) async throws {
        let credential = BearerCredential(authorization: request.headerFields[.authorization])
        var token: PublishToken?
        if let credential { token = try await tokens.token(credential) }
        switch request.verdict(on: credential, isRight: token != nil, by: authentication, at: now().seconds) {
        case .accepted: break
        case .rejected: throw PublishingError.unauthorized(hasCredential: credential != nil)
        case .tooManyFailures(let seconds): throw PublishingError.tooManyFailures(retryAfter: seconds)
        }
        guard let token, let name = request.parameters["topic"] else { return }
        guard let topic = TopicName.canonical(name) else { throw PublishingError.invalidTopic }
        guard token.scope == .publish(topic: topic) else { throw PublishingError.forbidden }
        if let seconds = messages.admit(token.id, at: now().seconds) {
            throw PublishingError.tooManyMessages(settings.messagesPerMinutePerToken, retryAfter: seconds)
        }
        await tokens.noteUse(of: token)
    }

    @Sendable func publish(_ request: FunctionRequest) async throws -> FunctionResponse {
        guard let topic = TopicName.canonical(request.parameters["topic"] ?? "") else {
            throw PublishingError.invalidTopic
        }
        let publication = try await Publication(request, to: topic)
        let draft = Draft(
            message: publication.message, source: Self.source,
            registrationFields: RegistrationResolver.registrationFields)
        let id = try await broadcaster.accept(draft, to: try Condition(topic: topic))
        return FunctionResponse(body: [
            "id": .string(id), "topic": .string(topic), "time": .integer(now().seconds),
        ])
    }
}

/// The errors that clients receive, `{"error":code,"message":…}`. docs/functions/publishing.md has the table.
struct PublishingError: FunctionError, Hashable {
    let status: HTTPResponse.Status
    let code: String
    let message: String
    /// The delay after which a retry may succeed, in seconds.
    var retryAfter: Int64?
    /// The value of `Allow`, if the path has other methods.
    var allowed: String?

    static func unauthorized(hasCredential: Bool) -> PublishingError {
        PublishingError(
            status: .unauthorized, code: "unauthorized",
            message: hasCredential
                ? "the token is unknown or revoked; “pushgate tokens list” shows the tokens"
                : "send a token in the header “Authorization: Bearer …”; “pushgate tokens create” makes one")
    }

    static let forbidden = PublishingError(
        status: .forbidden, code: "forbidden", message: "the token is not for publishing to this topic")

    static func tooManyFailures(retryAfter seconds: Int64) -> PublishingError {
        PublishingError(
            status: .tooManyRequests, code: "rate_limited", message: "too many failed attempts", retryAfter: seconds)
    }

    static func tooManyMessages(_ limit: Int, retryAfter seconds: Int64) -> PublishingError {
        PublishingError(
            status: .tooManyRequests, code: "rate_limited",
            message: "too many messages: a token may send \(limit) a minute", retryAfter: seconds)
    }

    static func badRequest(_ message: String) -> PublishingError {
        PublishingError(status: .badRequest, code: "bad_request", message: message)
    }

    static let invalidTopic = badRequest(
        "a topic has 1 to 900 characters, letters, digits and -_.~%, and is not “.”, “..” or “__…__”")
    static let tooLarge = PublishingError(
        status: .contentTooLarge, code: "too_large",
        message: "the text is longer than \(Publication.maximumBodyBytes) bytes, and would not fit into a notification")
    static let unsupportedEncoding = PublishingError(
        status: .unsupportedMediaType, code: "bad_request", message: RequestBodyError.unsupportedEncodingText)
    static let nothingHere = PublishingError(
        status: .notFound, code: "not_found", message: "there is nothing here; the path is /publish/TOPIC")

    static func methodNotAllowed(_ allowed: String) -> PublishingError {
        PublishingError(
            status: .methodNotAllowed, code: "method_not_allowed", message: "send the text with \(allowed)",
            allowed: allowed)
    }

    static let internalError = PublishingError(
        status: .internalServerError, code: "internal_error", message: "internal error")
    static let unavailable = PublishingError(
        status: .serviceUnavailable, code: "unavailable", message: "try again in a few seconds", retryAfter: 5)
    static let noRoom = PublishingError(
        status: .serviceUnavailable, code: "unavailable", message: DiskAdvice.text, retryAfter: 5)

    var response: FunctionResponse {
        var response = FunctionResponse(
            error: status, retryAfter: retryAfter, body: ["error": .string(code), "message": .string(message)])
        if let allowed { response.headerFields[.allow] = allowed }
        return response
    }

    init(
        status: HTTPResponse.Status, code: String, message: String, retryAfter: Int64? = nil, allowed: String? = nil
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
        self.allowed = allowed
    }

    /// The endpoint reads no JSON; the cases of the body itself are those that can occur.
    init(_ error: JSONBodyError) {
        switch error {
        case .unreadable(let error): self.init(error)
        case .malformed, .notAnObject: self = .badRequest("the body must be a text")
        }
    }

    init(_ error: RequestBodyError) {
        switch error {
        case .tooLarge: self = .tooLarge
        case .incomplete: self = .badRequest("the body ended early")
        case .malformedEncoding: self = .badRequest(RequestBodyError.malformedEncodingText)
        case .unsupportedEncoding: self = .unsupportedEncoding
        }
    }
}
