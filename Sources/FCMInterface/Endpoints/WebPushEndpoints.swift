import DocumentStore
import HTTPTypes
import Hummingbird
import JSON
import Messaging
import RequestRules
import Server

/// The endpoints by which a browser subscribes, and becomes a registration of FCM's interface.
///
/// - `GET /webpush/key`: returns the gateway's public key, which a page needs to subscribe, as a text.
/// - `POST /webpush/v1/registrations`: returns the registration token of a subscription.
/// - `DELETE /webpush/v1/registrations/{registration token}`: removes a registration, with its topics.
struct WebPushEndpoints: Sendable {
    /// The fields of bodies and answers, as in the systems' calls.
    private enum Field {
        static let subscription = "web_push"
        static let former = "replaces"
        static let formerRemovedAt = "former_subscription_removed_at"
    }

    private static let maximumBytes = 16 * 1024

    /// Returns the public key; `nil` if Web Push is off.
    let publicKey: @Sendable () -> String?
    let subscriptions: BrowserSubscriptions
    let resolver: RegistrationResolver
    let access: RegistrationAccess
    let limit: NewRegistrationLimit

    func add(to router: RouterGroup<GatewayRequestContext>) {
        router.get("/webpush/key") { _, _ in
            guard let key = publicKey() else {
                throw APIError.notFound(
                    "Web Push is off, so there is no key; the gateway's operator has to set webpush.subject")
            }
            // A browser that subscribes with an earlier key gets nothing.
            return Response(headers: [.cacheControl: "no-cache"], text: key)
        }
        router.post("/webpush/v1/registrations") { request, context in
            try access.check(request, context)
            return try await register(request, context)
        }
        router.delete("/webpush/v1/registrations/:token") { request, context in
            try access.check(request, context)
            return try await remove(RegistrationToken(try context.decodedParameter("token")))
        }
    }

    private func register(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let body = try await request.jsonBody(maximumBytes: Self.maximumBytes)
        let subscription = try subscription(in: body)
        var admission: NewRegistrationLimit.Admission?
        do {
            let (token, removedAt) = try await resolver.token(of: subscription, among: subscriptions) {
                admission = try limit.admit(request, context)
            }
            var answer: JSONObject = ["registration_token": .string(token.value)]
            answer[Field.formerRemovedAt] = removedAt.map { .string($0.description) }
            return Response(json: .object(answer))
        } catch {
            if let admission { limit.takeBack(admission) }
            throw error
        }
    }

    private func subscription(in body: JSONValue) throws(APIError) -> RegisteredSubscription {
        let subscription = try Self.reading(Field.subscription) { () throws(SubscriptionRefusal) in
            try subscriptions.subscription(body[Field.subscription] ?? .null)
        }
        guard let former = body[Field.former], former != .null else { return subscription }
        return try Self.reading(Field.former) { () throws(SubscriptionRefusal) in
            try subscriptions.subscription(subscription, replacing: former)
        }
    }

    private static func reading(
        _ field: String, _ body: () throws(SubscriptionRefusal) -> RegisteredSubscription
    ) throws(APIError) -> RegisteredSubscription {
        do throws(SubscriptionRefusal) {
            return try body()
        } catch {
            throw APIError(error, in: field)
        }
    }

    private func remove(_ token: RegistrationToken) async throws -> Response {
        guard try await resolver.removeSubscription(of: token) else { throw APIError.unregistered }
        return Response(json: [:])
    }
}

extension APIError {
    /// Translates the reason why a subscription is not taken.
    ///
    /// - Parameter field: The field with the subscription.
    fileprivate init(_ refusal: SubscriptionRefusal, in field: String) {
        let name =
            switch refusal {
            case .invalid: "INVALID_ARGUMENT"
            case .switchedOff: "FAILED_PRECONDITION"
            }
        self.init(status: .badRequest, name: name, message: refusal.text(in: field))
    }
}
