import DocumentStore
import Hummingbird
import JSON
import Messaging

/// The endpoint `POST /v1/deliveries`, which sends a message to one device. It requires the admin token.
///
/// The body is `{"to", "title"?, "body"?, "data"?, "bundle_id"?, "environment"?}`. `to` is the path of a registration
/// document of any system, or a token: one that this gateway made, one of a push service, or one of the inbox. The
/// response is `{"id"}`, and `GET /v1/deliveries/{id}` has the outcome.
struct SendEndpoint: Sendable {
    private static let members: Set<String> = ["to", "title", "body", "data", "bundle_id", "environment"]
    /// Nobody waits longer for a message that is sent to try something out.
    private static let lifetime = Duration.seconds(60 * 60)

    let store: any DocumentStore
    let resolver: RegistrationResolver
    /// The forms of registration documents, of all systems.
    let forms: [RegistrationFields]
    let outbox: Outbox
    let isAppConfigured: @Sendable (_ bundleID: String) -> Bool

    func add(to router: RouterGroup<GatewayRequestContext>) {
        router.post("/v1/deliveries") { request, _ in
            let body = try await request.jsonBody()
            let message = try message(body)
            let (target, fields) = try await target(body)
            let draft = Draft(
                message: message, lifetime: Self.lifetime, source: "admin", registrationFields: fields)
            return Response(json: ["id": .string(try await outbox.accept(draft, to: [target]).messageID)])
        }
    }

    // MARK: Content

    private func message(_ body: JSONValue) throws(APIError) -> Message {
        let names = body.object?.members.map(\.name) ?? []
        if let unknown = names.first(where: { !Self.members.contains($0) }) {
            throw .invalidArgument(
                "“\(unknown)” is not a member of a message; the members are to, title, body, data, bundle_id and "
                    + "environment")
        }
        let notification = Message.Notification(
            title: try Self.text("title", of: body), body: try Self.text("body", of: body))
        guard notification.title != nil || notification.body != nil else {
            throw .invalidArgument("give a title, a body, or both")
        }
        return Message(
            notification: notification, data: try Self.data(of: body),
            apns: Message.APNsConfiguration(
                headers: ["apns-push-type": "alert", "apns-priority": "10"], payload: ["aps": ["sound": "default"]]))
    }

    private static func data(of body: JSONValue) throws(APIError) -> [String: String] {
        guard let value = body["data"] else { return [:] }
        let members = value.object?.members.map { ($0.name, $0.value.string) }
        guard let members, members.allSatisfy({ $0.1 != nil }) else {
            throw .invalidArgument("data must be an object of texts")
        }
        return Dictionary(members.map { ($0.0, $0.1 ?? "") }) { $1 }
    }

    private static func text(_ name: String, of body: JSONValue) throws(APIError) -> String? {
        guard let value = body[name] else { return nil }
        guard let text = value.string, !text.isEmpty else {
            throw .invalidArgument("\(name) must be a text that is not empty")
        }
        return text
    }

    // MARK: Target

    private func target(_ body: JSONValue) async throws -> (Target, RegistrationFields) {
        guard let to = try Self.text("to", of: body) else {
            throw APIError.invalidArgument("“to” is missing: give the path of a registration, or a token")
        }
        let app = try app(body)
        // No token of a push service has a slash.
        if to.contains("/"), !to.hasPrefix("emulated:") {
            let path = try DocumentPath(to)
            guard app == AppIdentity() else {
                throw APIError.invalidArgument(
                    "a registration names its app itself; bundle_id and environment are for device tokens")
            }
            return try await registration(at: path)
        }
        return (try await registration(of: RegistrationToken(to), app), RegistrationResolver.registrationFields)
    }

    private func app(_ body: JSONValue) throws(APIError) -> AppIdentity {
        let bundleID = try Self.text("bundle_id", of: body)
        if let bundleID, !isAppConfigured(bundleID) {
            throw .invalidArgument("the gateway is not configured for this bundle_id; see apps in its configuration")
        }
        let environment = try Self.text("environment", of: body).map { name throws(APIError) in
            guard let environment = APNsEnvironment(rawValue: name) else {
                throw APIError.invalidArgument("environment must be sandbox or production")
            }
            return environment
        }
        return AppIdentity(bundleID: bundleID, environment: environment)
    }

    private func registration(at path: DocumentPath) async throws -> (Target, RegistrationFields) {
        guard let document = try await store.document(at: path) else {
            throw APIError.notFound("there is no document \(path); “pushgate documents list” shows what there is")
        }
        let matching = forms.filter { $0.address(in: document) != nil }
        // Two forms may have the same token field; then the one whose time the document has.
        let form = matching.first { $0.registeredAt.map { document[$0] != nil } ?? true } ?? matching.first
        guard let form, let address = form.address(in: document) else {
            throw APIError.invalidArgument("the document \(path) is not a registration: it has no token")
        }
        return (Target(address: address, registration: path), form)
    }

    private func registration(of token: RegistrationToken, _ app: AppIdentity) async throws -> Target {
        let registration: Registration
        switch try await resolver.registration(of: token) {
        case .success(let found): registration = found
        case .failure(.unregistered):
            throw APIError.notFound(
                "this gateway made the token, and its registration is gone: the app must register again")
        case .failure(.senderMismatch):
            throw APIError.invalidArgument(
                "FCM made this token, and the gateway has no relay to it; see fcm.relay.serviceAccount")
        case .failure(.malformed):
            guard let found = try await resolver.registration(ofInstallation: token.value) else {
                throw APIError.invalidArgument(
                    "“to” is neither the path of a registration, nor a registration token, device token or "
                        + "installation id")
            }
            registration = found
        }
        guard app != AppIdentity() else { return try registration.target }
        guard registration.address.app == AppIdentity() else {
            throw APIError.invalidArgument(
                "the token's registration names its app itself; bundle_id and environment are for device tokens")
        }
        return Target(
            address: PushAddress(
                transport: registration.address.transport, token: registration.address.token, app: app),
            registration: try registration.target.registration)
    }
}
