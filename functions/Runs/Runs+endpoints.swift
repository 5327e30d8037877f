import DocumentStore
import HTTPTypes
import JSON
import Messaging

/// The shared parts of the endpoints: the API key, and the form of errors.
extension Runs {
    /// The maximum size of a body, in bytes. An event contains at most the beginning of a prompt.
    static let maximumBodyBytes = 64 * 1024

    var group: EndpointGroup<RunsError> {
        EndpointGroup("runs", RunsError.self, logger: logger) { try authorize($0) }
    }

    private func authorize(_ request: FunctionRequest) throws(RunsError) {
        let field = request.headerFields[.authorization]
        let key = BearerCredential(authorization: field)
        let isRight = key.map(settings.apiKeys.contains) ?? false
        switch request.verdict(on: key, isRight: isRight, by: authentication, at: now().seconds) {
        case .accepted: return
        case .tooManyFailures(let seconds): throw .rateLimited(retryAfter: seconds)
        case .rejected: throw .unauthorized(Self.problem(with: field, key))
        }
    }

    private static func problem(with field: String?, _ key: BearerCredential?) -> String {
        guard let field, !field.trimmingWhitespace().isEmpty else { return "missing authorization header" }
        return key == nil ? "invalid authorization format" : "invalid api key"
    }
}

/// The devices, all of which receive every notification.
extension Runs {
    @Sendable func registerDevice(_ request: FunctionRequest) async throws -> FunctionResponse {
        let object = try await request.jsonObject(limit: Self.maximumBodyBytes)
        let (deviceAddress, text, kind) = try address(in: object)
        let platform = try Self.platform(in: object, of: deviceAddress)
        guard text.utf8.count <= Self.maximumTokenLength else { throw RunsError.invalidInput("token is too long") }
        let fields = LooseFields(object)
        let liveActivity = try LiveActivityPart.read(fields, of: kind)
        let registered = try await devices.register(
            deviceAddress, platform: platform, asksForReceipts: fields.asksForReceipts, liveActivity: liveActivity)
        if let liveActivity {
            try await cards?.take(
                liveActivity.tokens, of: registered.device.address.app, liveActivity.registration, source: Self.source)
        }
        var answer: JSONObject = [
            "token": .string(text), "platform": .string(platform),
            "created_at": .integer(registered.device.createdAt.seconds),
        ]
        SubscriptionField.note(formerRemovedAt: registered.formerRemovedAt, in: &answer)
        return FunctionResponse(status: .created, body: .object(answer))
    }

    /// Returns the address in a body, the text by which it can be unregistered, and the kind of the address.
    private func address(
        in object: JSONObject
    ) throws -> (address: DeviceAddress, text: String, kind: LiveActivityPart.AddressKind) {
        let token = object["token"]?.string?.trimmingWhitespace() ?? ""
        guard let subscription = try devices.subscription(in: object) else {
            guard !token.isEmpty else { throw RunsError.invalidInput("token is required") }
            if let relayed = try devices.relayAddress(in: object, token: token, field: "token") {
                return (.subscription(relayed), token, .relayed)
            }
            try devices.reach.forms.check(token, in: "token")
            return (.token(token), token, .phone)
        }
        guard token.isEmpty else { throw RunsError.invalidInput(SubscriptionField.problem(beside: "token")) }
        return (.subscription(subscription), subscription.text.value, .browser)
    }

    private static func platform(in object: JSONObject, of address: DeviceAddress) throws(RunsError) -> String {
        let platform = object["platform"]?.string?.trimmingWhitespace() ?? ""
        if case .subscription = address {
            let isRelayed = LooseFields(object).value(SubscriptionField.relay) != nil
            guard !platform.isEmpty else { return isRelayed ? "ios" : "web" }
            guard ["ios", "web"].contains(platform) else {
                throw .invalidInput("invalid platform, must be 'ios' or 'web'")
            }
        } else {
            guard !platform.isEmpty else { throw .invalidInput("platform is required") }
            guard platform == "ios" else { throw .invalidInput("invalid platform, must be 'ios'") }
        }
        return platform
    }

    @Sendable func unregisterDevice(_ request: FunctionRequest) async throws -> FunctionResponse {
        let token = (request.parameters["token"] ?? "").trimmingWhitespace()
        guard try await devices.remove(id: devices.id(ofToken: token)) else { throw RunsError.deviceNotFound }
        return FunctionResponse(status: .noContent, content: .none)
    }

    /// The same limit as in other systems.
    private static let maximumTokenLength = 4_096
}

/// The errors that clients receive, `{"error":{"code":…,"message":…}}`. docs/functions/runs.md has the table.
struct RunsError: FunctionError, Hashable {
    let status: HTTPResponse.Status
    let code: String
    let message: String
    /// The delay after which a retry may succeed, in seconds.
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

    static let approvalNotFound = RunsError(
        status: .notFound, code: "not_found", message: "there is no such approval")
    /// The approval can be decided no longer.
    static let expired = RunsError(
        status: .gone, code: "expired", message: "the approval has expired, so no decision is taken any more")

    /// - Parameter state: The state of the approval, which stays.
    static func alreadyDecided(_ state: String) -> RunsError {
        RunsError(status: .conflict, code: "already_decided", message: "the approval is \(state) already")
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
        FunctionResponse(
            error: status, retryAfter: retryAfter,
            body: ["error": ["code": .string(code), "message": .string(message)]])
    }
}

extension RunsError {
    static func translation(of error: any Error) -> RunsError? {
        switch error {
        case let error as SubscriptionFieldError: .invalidInput(error.text)
        case let error as LiveActivityPart.Refusal: .invalidInput(error.text)
        default: nil
        }
    }

    init(_ error: JSONBodyError) {
        self =
            switch error {
            case .unreadable(.tooLarge): .tooLarge
            case .unreadable(.malformedEncoding): .invalidInput(RequestBodyError.malformedEncodingText)
            case .unreadable(.unsupportedEncoding): .unsupportedEncoding
            case .unreadable(.incomplete), .malformed, .notAnObject: .invalidInput("invalid JSON body")
            }
    }
}
