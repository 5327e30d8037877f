import DocumentStore
import Hummingbird
import JSON
import Messaging
import RequestRules
import Server

/// The endpoints of FCM's topic subscriptions, below `/v1/projects/{project}/registrations/{registration token or
/// fid}/topicSubscriptions`:
///
/// - `POST ?topicName={topic}` subscribes; answers 409 `ALREADY_EXISTS` if the subscription exists.
/// - `GET /{topic}`, `GET ?pageSize=&pageToken=` show one or list all.
/// - `PATCH /{topic}?allowMissing=true` subscribes; succeeds if the subscription exists.
/// - `DELETE /{topic}?allowMissing=true` unsubscribes.
///
/// Query parameters may be in lowerCamelCase or in snake_case.
struct TopicSubscriptionEndpoints: Sendable {
    private static let defaultPageSize = 50
    private static let maximumPageSize = 1_000

    let resolver: RegistrationResolver
    let subscriptions: TopicSubscriptions

    func add(to router: RouterGroup<GatewayRequestContext>) {
        let path: RouterPath = "/v1/projects/:project/registrations/:registration/topicSubscriptions"
        let topicPath: RouterPath = "/v1/projects/:project/registrations/:registration/topicSubscriptions/:topic"
        router.post(path) { request, context in
            guard let name = request.uri.queryParameters.either("topicName", "topic_name") else {
                throw APIError.invalidArgument("name the topic: topicSubscriptions?topicName=news")
            }
            return try await create(try topic(name), try resource(context))
        }
        router.get(path) { request, context in try await list(request, try resource(context)) }
        router.get(topicPath) { _, context in try await get(try topic(of: context), try resource(context)) }
        router.patch(topicPath) { request, context in
            try await patch(try topic(of: context), request, try resource(context))
        }
        router.delete(topicPath) { request, context in
            try await delete(try topic(of: context), request, try resource(context))
        }
    }

    // MARK: Calls

    private func create(_ topic: String, _ resource: Resource) async throws -> Response {
        let registration = try await registration(resource)
        let results = try await subscriptions.subscribe([registration], to: topic)
        guard let result = results.first, result.isNew else {
            throw APIError(
                status: .conflict, name: "ALREADY_EXISTS", message: "the registration is subscribed to \(topic) already"
            )
        }
        return Response(json: resource.json(of: result.subscription))
    }

    private func get(_ topic: String, _ resource: Resource) async throws -> Response {
        let registration = try await registration(resource)
        guard let subscription = try await subscriptions.subscription(of: registration, to: topic) else {
            throw missing(topic)
        }
        return Response(json: resource.json(of: subscription))
    }

    private func patch(_ topic: String, _ request: Request, _ resource: Resource) async throws -> Response {
        let registration = try await registration(resource)
        if let subscription = try await subscriptions.subscription(of: registration, to: topic) {
            return Response(json: resource.json(of: subscription))
        }
        guard request.allowsMissing, let result = try await subscriptions.subscribe([registration], to: topic).first
        else {
            throw missing(topic)
        }
        return Response(json: resource.json(of: result.subscription))
    }

    private func delete(_ topic: String, _ request: Request, _ resource: Resource) async throws -> Response {
        let registration = try await registration(resource)
        guard try await subscriptions.unsubscribe([registration], from: topic) == [true] || request.allowsMissing else {
            throw missing(topic)
        }
        return Response(json: [:])
    }

    private func list(_ request: Request, _ resource: Resource) async throws -> Response {
        let query = request.uri.queryParameters
        let name: Substring = query["pageSize"] == nil ? "page_size" : "pageSize"
        let asked = try query.integer(name, in: 0...Int.max) ?? 0
        let size = asked == 0 ? Self.defaultPageSize : min(asked, Self.maximumPageSize)
        let token = query.either("pageToken", "page_token")
        let registration = try await registration(resource)
        let page = try await subscriptions.subscriptions(
            of: registration, after: (token ?? "").isEmpty ? nil : token, limit: size + 1)
        var body: JSONObject = ["topicSubscriptions": .array(page.prefix(size).map(resource.json))]
        if page.count > size { body["nextPageToken"] = .string(page[size - 1].topic) }
        return Response(json: .object(body))
    }

    // MARK: Names

    /// The registration that a path names between `projects` and `topicSubscriptions`.
    private struct Resource {
        let project: String
        let registration: String

        func json(of subscription: TopicSubscription) -> JSONValue {
            [
                "name": .string(
                    "projects/\(project)/registrations/\(registration)/topicSubscriptions/\(subscription.topic)"),
                "topicName": .string(subscription.topic), "createTime": .string(subscription.createdAt.description),
            ]
        }
    }

    private func resource(_ context: GatewayRequestContext) throws -> Resource {
        Resource(
            project: try context.parameters.require("project"),
            registration: try context.decodedParameter("registration"))
    }

    private func registration(_ resource: Resource) async throws -> Registration {
        if let registration = try await resolver.registration(ofInstallation: resource.registration) {
            return registration
        }
        switch try await resolver.registration(of: RegistrationToken(resource.registration)) {
        case .success(let registration): return registration
        case .failure(let error): throw APIError(error)
        }
    }

    private func topic(of context: GatewayRequestContext) throws -> String {
        try topic(try context.decodedParameter("topic"))
    }

    private func topic(_ name: String) throws(APIError) -> String {
        guard let topic = TopicName.canonical(name) else {
            throw .invalidArgument("Invalid topic name: \(ConditionError.Reason.invalidTopic.rawValue)")
        }
        return topic
    }

    private func missing(_ topic: String) -> APIError {
        .notFound("the registration is not subscribed to \(topic)")
    }
}

extension Request {
    fileprivate var allowsMissing: Bool {
        uri.queryParameters.either("allowMissing", "allow_missing")?.lowercased() == "true"
    }
}
