import Functions
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
///
/// A paired device owns its registration, which ends with its credential. The credential removes no other one.
struct WebPushEndpoints: Sendable {
    private static let maximumBytes = 16 * 1024

    /// Returns the public key; `nil` if Web Push is off.
    let publicKey: @Sendable () -> String?
    let subscriptions: BrowserSubscriptions
    let resolver: RegistrationResolver
    let access: RegistrationAccess
    let limit: NewRegistrationLimit

    /// The calls that web pages of other origins may make, at the paths of the routes.
    ///
    /// - Parameter prefix: The beginning of the paths.
    static func pageCalls(below prefix: String) -> [PageCalls.Call] {
        [
            (.get, PathPattern(stringLiteral: prefix + "/webpush/key")),
            (.post, PathPattern(stringLiteral: prefix + "/webpush/v1/registrations")),
            (.delete, PathPattern(stringLiteral: prefix + "/webpush/v1/registrations/{token}")),
        ]
    }

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
            let owner = try await access.owner(of: request, context)
            return try await register(request, context, for: owner)
        }
        router.delete("/webpush/v1/registrations/:token") { request, context in
            let owner = try await access.owner(of: request, context)
            return try await remove(RegistrationToken(try context.decodedParameter("token")), of: owner)
        }
    }

    private func register(
        _ request: Request, _ context: GatewayRequestContext, for owner: RegistrationOwner?
    ) async throws -> Response {
        let body = try await request.jsonBody(maximumBytes: Self.maximumBytes)
        let subscription = try subscription(in: body)
        var admission: NewRegistrationLimit.Admission?
        do {
            let (token, removedAt) = try await resolver.token(
                of: subscription, among: subscriptions, ownedBy: owner
            ) {
                admission = try limit.admit(request, context)
            }
            var answer: JSONObject = ["registration_token": .string(token.value)]
            SubscriptionField.note(formerRemovedAt: removedAt, in: &answer)
            return Response(json: .object(answer))
        } catch {
            if let admission { limit.takeBack(admission) }
            if error is RegistrationOwner.Ended { throw APIError.unknownCredential }
            throw error
        }
    }

    private func subscription(in body: JSONValue) throws(APIError) -> RegisteredSubscription {
        do throws(SubscriptionFieldError) {
            return try subscriptions.requiredSubscription(in: LooseFields(body.object ?? [:]))
        } catch {
            throw APIError(error)
        }
    }

    private func remove(_ token: RegistrationToken, of owner: RegistrationOwner?) async throws -> Response {
        do {
            guard try await resolver.removeSubscription(of: token, ownedBy: owner) else { throw APIError.unregistered }
        } catch is RegistrationOwner.Ended {
            throw APIError.unknownCredential
        }
        return Response(json: [:])
    }
}

extension APIError {
    /// Translates the reason why a subscription is not taken.
    fileprivate init(_ error: SubscriptionFieldError) {
        let name =
            switch error.refusal {
            case .invalid: "INVALID_ARGUMENT"
            case .switchedOff: "FAILED_PRECONDITION"
            }
        self.init(status: .badRequest, name: name, message: error.text)
    }
}
