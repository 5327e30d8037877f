import DocumentStore
import Hummingbird
import JSON
import Messaging
import RequestRules
import Server

/// The endpoints of the [Instance ID API](https://developers.google.com/instance-id/reference/server), which SDKs use
/// for topics, and servers use to import APNs tokens.
///
/// - `POST /iid/v1:batchAdd`, `POST /iid/v1:batchRemove`: subscribes up to 1,000 registrations to a topic, or
///   unsubscribes them.
/// - `POST /iid/v1:batchImport`: returns registration tokens for up to 100 APNs tokens.
/// - `POST /iid/v1/{registration token}/rel/topics/{topic}`: subscribes one registration to a topic.
/// - `GET /iid/info/{registration token}?details=true`: describes a registration.
struct InstanceIDEndpoints: Sendable {
    private static let maximumTokens = 1_000
    private static let maximumImports = 100
    /// The maximum size of a body: the maximum number of tokens, each of the maximum length.
    static let maximumBytes = 5 * 1024 * 1024

    let resolver: RegistrationResolver
    let subscriptions: TopicSubscriptions
    let project: String
    let table: PushServiceTable
    /// Returns `true` if the gateway sends for the app of a bundle id.
    let isAppConfigured: @Sendable (_ bundleID: String) -> Bool

    func add(to router: RouterGroup<GatewayRequestContext>) {
        router.post("/iid/v1:batchAdd") { request, _ in
            try await change(request) { try await subscriptions.subscribe($0, to: $1) }
        }
        router.post("/iid/v1:batchRemove") { request, _ in
            try await change(request) { try await subscriptions.unsubscribe($0, from: $1) }
        }
        router.post("/iid/v1:batchImport") { request, _ in try await batchImport(request) }
        router.post("/iid/v1/:token/rel/topics/:topic") { _, context in
            try await subscribe(
                RegistrationToken(try context.decodedParameter("token")), to: try context.decodedParameter("topic"))
        }
        router.get("/iid/info/:token") { request, context in
            try await info(request, RegistrationToken(try context.decodedParameter("token")))
        }
    }

    // MARK: Topics

    private func change<Ignored>(
        _ request: Request, _ change: ([Registration], String) async throws -> Ignored
    ) async throws -> Response {
        let body = try await request.jsonBody(maximumBytes: Self.maximumBytes)
        guard let topic = body["to"]?.string.flatMap(TopicName.canonical) else {
            throw APIError.invalidArgument("“to” must name a topic, as in /topics/news")
        }
        let tokens = try strings(body, "registration_tokens", "registrationTokens", atMost: Self.maximumTokens)
        let found = try await resolver.registrations(of: tokens.map { RegistrationToken($0) })
        _ = try await change(found.compactMap { try? $0.get() }, topic)
        return Response(json: ["results": .array(found.map(\.batchResult))])
    }

    private func subscribe(_ token: RegistrationToken, to name: String) async throws -> Response {
        guard let topic = TopicName.canonical(name) else {
            throw APIError.invalidArgument("Invalid topic name: \(ConditionError.Reason.invalidTopic.rawValue)")
        }
        _ = try await subscriptions.subscribe([try await registration(of: token)], to: topic)
        return Response(json: [:])
    }

    // MARK: Registrations

    private func registration(of token: RegistrationToken) async throws -> Registration {
        switch try await resolver.registration(of: token) {
        case .success(let known): return known
        case .failure(let error): throw APIError(error)
        }
    }

    private func batchImport(_ request: Request) async throws -> Response {
        let body = try await request.jsonBody(maximumBytes: Self.maximumBytes)
        guard let application = body["application"]?.string, !application.isEmpty else {
            throw APIError.invalidArgument("“application” must be the app's bundle id")
        }
        guard body["sandbox"] == nil || body["sandbox"]?.bool != nil else {
            throw APIError.invalidArgument("“sandbox” must be true or false")
        }
        let tokens = try strings(body, "apns_tokens", "apnsTokens", atMost: Self.maximumImports)
        guard isAppConfigured(application) else {
            return Response(json: ["results": .array(tokens.map(Self.appNotConfigured))])
        }
        let environment = body["sandbox"]?.bool == true ? "sandbox" : "production"
        let made = try await resolver.importTokens(
            tokens, of: .apns, for: AppIdentity(bundleID: application, environment: environment))
        let results = zip(tokens, made).map { apnsToken, token -> JSONValue in
            guard let token else { return ["apns_token": .string(apnsToken), "status": "INVALID_ARGUMENT"] }
            return [
                "apns_token": .string(apnsToken), "status": "OK", "registration_token": .string(token.value),
            ]
        }
        return Response(json: ["results": .array(results)])
    }

    /// Returns the result for a token of an app that is not configured. Clients know the status; `error` is an
    /// additional detail.
    private static func appNotConfigured(_ apnsToken: String) -> JSONValue {
        ["apns_token": .string(apnsToken), "status": "INVALID_ARGUMENT", "error": "app_not_configured"]
    }

    private func info(_ request: Request, _ token: RegistrationToken) async throws -> Response {
        let registration = try await registration(of: token)
        var body: JSONObject = [
            "application": .string(registration.address.app.bundleID ?? ""), "authorizedEntity": .string(project),
            "platform": .string(table.service(registration.address.transport)?.fcmPlatform ?? "UNKNOWN"),
        ]
        if request.uri.queryParameters["details"]?.lowercased() == "true" {
            let topics = try await subscriptions.allSubscriptions(of: registration)
            let dates = topics.map { topic -> (String, JSONValue) in
                (topic.topic, ["addDate": .string(String(topic.createdAt.description.prefix(10)))])
            }
            body["rel"] = ["topics": .object(JSONObject(dates))]
        }
        return Response(json: .object(body))
    }

    private func strings(
        _ body: JSONValue, _ name: String, _ otherName: String, atMost limit: Int
    ) throws(APIError) -> [String] {
        let values = (body[name] ?? body[otherName])?.array ?? []
        let strings = values.compactMap(\.string)
        guard (1...limit).contains(strings.count), strings.count == values.count else {
            throw .invalidArgument("“\(name)” must be a list of 1 to \(limit) strings")
        }
        return strings
    }
}

extension Result where Success == Registration, Failure == UnknownToken {
    /// The result as an element of `results`.
    fileprivate var batchResult: JSONValue {
        switch self {
        case .success: [:]
        case .failure(.unregistered): ["error": "NOT_FOUND"]
        case .failure(.malformed): ["error": "INVALID_ARGUMENT"]
        case .failure(.senderMismatch): ["error": "PERMISSION_DENIED"]
        }
    }
}
