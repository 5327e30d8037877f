import DocumentStore
import Emulator
import Functions
import HTTPTypes
import Hummingbird
import JSON
import Messaging
import RequestRules
import Server
import ServiceLifecycle

/// The endpoint `POST /v1/projects/{project}/messages:send`, FCM's
/// [send](https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages/send).
///
/// The message is stored first. Then the response waits for the push service, for a limited time. A final rejection
/// is answered with its error. All other messages are answered with 200, and the gateway continues to deliver them.
/// 500 and 503 are answered only if no message was accepted, so an SDK that repeats the request cannot notify a
/// device twice.
struct MessageEndpoint: Sendable {
    /// The message id in the response to a dry run, as FCM sends it.
    private static let dryRunID = "fake_message_id"

    let resolver: RegistrationResolver
    let table: PushServiceTable
    let transports: TransportTable
    let outbox: Outbox
    let broadcaster: Broadcaster
    let scripts: EmulatorScripts
    let sent: SentMessages
    let settings: FCMSettings
    let isEmulator: Bool
    let quota: FixedWindowLimiter
    let idempotency: IdempotentRequests
    let clock: any Clock<Duration>
    let now: @Sendable () -> Timestamp

    func add(to router: RouterGroup<GatewayRequestContext>) {
        router.post("/v1/projects/:project/messages:send") { request, context in
            if !isEmulator, let seconds = quota.admit(context.account ?? "", at: now().seconds) {
                throw APIError.quotaExceeded(settings.messagesPerMinutePerAccount, retryAfter: seconds)
            }
            let project = try context.parameters.require("project")
            let (json, bytes) = try await request.jsonBodyWithBytes()
            let message = try Self.sendRequest(json)
            guard !message.isValidateOnly,
                let idempotent = try request.idempotent(
                    at: "messages:send", project, of: context.account ?? "", body: bytes)
            else { return Response(json: Self.answer(try await send(message), in: project)) }
            return try await idempotency.response(to: idempotent) { acceptance in
                Self.answer(acceptance.messageID ?? Self.dryRunID, in: project)
            } work: { companion in
                Self.answer(try await send(message, with: companion), in: project)
            }
        }
    }

    private static func answer(_ id: String, in project: String) -> JSONValue {
        ["name": .string("projects/\(project)/messages/\(id)")]
    }

    static func sendRequest(_ body: JSONValue) throws(APIError) -> SendRequest {
        do {
            return try SendRequest(json: body)
        } catch {
            throw APIError(error)
        }
    }

    /// Sends the message of a request.
    ///
    /// - Parameter companion: Makes further writes of the commit that accepts the message.
    /// - Returns: The message's id.
    func send(_ request: SendRequest, with companion: Draft.Companion? = nil) async throws -> String {
        guard isEmulator, !request.isValidateOnly else { return try await accept(request, companion) }
        do {
            let id = try await accept(request, companion)
            sent.append(request, answer: .accepted(id), at: now())
            return id
        } catch let error as APIError {
            sent.append(request, answer: .refused(error.errorCode ?? error.name), at: now())
            throw error
        }
    }

    private func accept(_ request: SendRequest, _ companion: Draft.Companion?) async throws -> String {
        switch request.target {
        case .token(let token): return try await send(request, to: try await registration(of: token), companion)
        case .fid(let fid):
            return try await send(request, to: try await registration(ofInstallation: fid), companion)
        case .topic(let topic): return try await send(request, to: try Condition(topic: topic), companion)
        case .condition(let condition): return try await send(request, to: condition, companion)
        }
    }

    /// Returns the registration of a token, which may also be an installation id, as in FCM.
    private func registration(of token: RegistrationToken) async throws -> Registration {
        switch try await resolver.registration(of: token) {
        case .success(let registration): return registration
        case .failure(let error):
            if error == .malformed, let registration = try await resolver.registration(ofInstallation: token.value) {
                return registration
            }
            throw APIError(error)
        }
    }

    /// Returns the registration of an installation. In emulator mode, an unknown installation id is accepted in the
    /// same way as any token.
    private func registration(ofInstallation fid: String) async throws -> Registration {
        if let registration = try await resolver.registration(ofInstallation: fid) { return registration }
        guard isEmulator else { throw APIError.unregistered }
        return try await registration(of: RegistrationToken(fid))
    }

    // MARK: Sending

    private func send(
        _ request: SendRequest, to registration: Registration, _ companion: Draft.Companion?
    ) async throws -> String {
        guard !request.isValidateOnly else { return try dryRun(request.message, to: registration.address) }
        if isEmulator || table.service(registration.address.transport)?.reachesDevices == false {
            try await follow(scripts.take(forMessageTo: [registration.token, registration.address.token]))
        }
        let target = try registration.target
        var draft = draft(request.message, over: target.address.transport)
        draft.companion = companion
        let delivery = try await outbox.submit(draft, to: [target])
        let progress = try await delivery.firstAttempts(waiting: settings.sendWait)
        if let rejection = progress.lastRejection, let error = error(for: rejection) { throw error }
        return delivery.messageID
    }

    private func send(
        _ request: SendRequest, to condition: Condition, _ companion: Draft.Companion?
    ) async throws -> String {
        guard !request.isValidateOnly else { return Self.dryRunID }
        if isEmulator { try await follow(scripts.take(forMessageTo: [])) }
        var draft = draft(request.message)
        draft.companion = companion
        return try await broadcaster.accept(draft, to: condition)
    }

    /// Refuses a message that the gateway would refuse for this target without asking the push service, such as one
    /// that is too large.
    private func dryRun(_ message: Message, to address: PushAddress) throws(APIError) -> String {
        let id = DocumentPath.timeOrderedID(at: now())
        let outgoing = OutgoingMessage(
            message: message, lane: address.lane, expiration: 0, id: id,
            identity: FCMIdentity(messageID: id, senderID: settings.senderID))
        if let rejection = transports.rejection(of: outgoing), let error = error(for: rejection) { throw error }
        return Self.dryRunID
    }

    private func follow(_ script: EmulatorScripts.Script?) async throws {
        guard let script else { return }
        // Nothing is accepted yet, so the end of the gateway may end the request.
        try await cancelWhenGracefulShutdown { try await clock.sleep(for: script.delay) }
        if let error = script.error { throw APIError.scripted(error) }
    }

    /// Creates a draft of a message.
    ///
    /// - Parameter transport: The transport of the message; `nil` if it is determined later.
    private func draft(_ message: Message, over transport: TransportName? = nil) -> Draft {
        let platforms = transport.flatMap { table.service($0)?.platforms } ?? []
        return Draft(
            message: message, lifetime: message.lifetime(at: now(), platforms: platforms), source: FCMEndpoints.source,
            registrationFields: RegistrationResolver.registrationFields, senderID: settings.senderID)
    }

    /// Returns the error to answer; `nil` if the request did not cause the rejection, for example if the message
    /// expired.
    private func error(for rejection: Rejection) -> APIError? {
        let detail = rejection.verdict.flatMap { table.service($0.service)?.fcmDetail }
        var platform: FCMPlatformError?
        if let detail, let verdict = rejection.verdict {
            platform = FCMPlatformError(type: detail.type, status: verdict.status, reason: verdict.reason)
        }
        switch rejection.code {
        case .registrationTokenNotRegistered:
            guard settings.unregisteredAs == .invalidArgument, let detail else {
                return .unregistered(platform: platform)
            }
            return .fcm(.invalidArgument, detail.disabledToken, platform: platform)
        case .invalidRegistrationToken, .invalidArgument, .mismatchedCredential:
            let message = "The push service refuses the notification: \(rejection.reason)"
            return .fcm(rejection.code, message, platform: platform)
        default: return nil
        }
    }
}
