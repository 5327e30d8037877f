package import DocumentStore
import JSON
package import Messaging
import Server

/// A message that the operator sends to one device.
package struct DirectMessage: Sendable {
    /// The path of a registration document of any system, or a token: one that this gateway made, one of a push
    /// service, or one of the inbox.
    var to: String
    var title: String?
    var body: String?
    var data: [String: String]
    /// The app of a device token, as far as it is not the gateway's first.
    var app: AppIdentity
    /// The time at which it is sent; `nil` for now.
    var time: Time?

    /// A time in the future.
    package enum Time: Hashable, Sendable {
        case at(Timestamp)
        case after(Duration)
    }

    /// Makes a message to a registration or a token.
    ///
    /// - Parameters:
    ///   - app: The app of a device token, as far as it is not the gateway's first.
    ///   - time: The time at which it is sent; `nil` for now.
    package init(
        to: String, title: String?, body: String?, data: [String: String] = [:], app: AppIdentity = AppIdentity(),
        at time: Time? = nil
    ) {
        self.to = to
        self.title = title
        self.body = body
        self.data = data
        self.app = app
        self.time = time
    }
}

/// Sends the operator's messages: to a single device, and again to the devices of an earlier message.
package struct DirectSender: Sendable {
    /// Nobody waits longer for a message that is sent to try something out.
    static let lifetime = Duration.seconds(60 * 60)
    /// The number of registrations that are read together.
    private static let batch = 500
    /// The system of these messages, in metrics and in their records.
    package static let source = "admin"

    let store: any DocumentStore
    let resolver: RegistrationResolver
    /// The forms of registration documents, of all systems.
    let forms: [RegistrationFields]
    let outbox: Outbox
    let scheduled: ScheduledMessages
    let now: @Sendable () -> Timestamp
    let isAppConfigured: @Sendable (_ bundleID: String) -> Bool

    /// Creates a sender.
    ///
    /// - Parameters:
    ///   - forms: The forms of registration documents, of all systems.
    ///   - isAppConfigured: Returns `true` if the gateway sends for the app of a bundle id.
    package init(
        store: any DocumentStore, resolver: RegistrationResolver, forms: [RegistrationFields], outbox: Outbox,
        scheduled: ScheduledMessages, now: @escaping @Sendable () -> Timestamp,
        isAppConfigured: @escaping @Sendable (_ bundleID: String) -> Bool
    ) {
        self.store = store
        self.resolver = resolver
        self.forms = forms
        self.outbox = outbox
        self.scheduled = scheduled
        self.now = now
        self.isAppConfigured = isAppConfigured
    }

    /// Sends a message, or schedules it.
    ///
    /// - Parameter companion: Makes further writes of the commit that accepts the message, or schedules it.
    /// - Returns: The id of the message, or of the scheduled message.
    package func send(_ message: DirectMessage, with companion: Draft.Companion? = nil) async throws -> String {
        let content = try Self.content(title: message.title, body: message.body, data: message.data)
        let (target, fields) = try await target(message)
        guard let time = message.time else { return try await accept(content, [target], fields, companion) }
        return try await scheduled.schedule(
            draft(content, fields, companion), to: .all([target]), at: try moment(of: time))
    }

    /// Returns the content of a message of the operator.
    static func content(
        title: String?, body: String?, data: [String: String] = [:]
    ) throws(APIError) -> Message {
        guard title != nil || body != nil else { throw .invalidArgument("give a title, a body, or both") }
        return Message(
            notification: Message.Notification(title: title, body: body), data: data,
            apns: Message.APNsConfiguration(
                headers: ["apns-push-type": "alert", "apns-priority": "10"], payload: ["aps": ["sound": "default"]]))
    }

    /// Sends the content of an earlier message again, to those of its registrations that still exist.
    ///
    /// - Returns: The new message's id; `nil` if none of them exists.
    func send(_ content: Message, againTo registrations: [DocumentPath]) async throws -> String? {
        var targets: [Target] = []
        var fields = RegistrationResolver.registrationFields
        for start in stride(from: 0, to: registrations.count, by: Self.batch) {
            let paths = registrations[start..<min(start + Self.batch, registrations.count)]
            for document in try await store.documents(at: Array(paths)).compactMap(\.self) {
                guard let form = form(of: document), let address = form.address(in: document) else { continue }
                // A message is for devices of one system, whose documents have one form.
                fields = form
                targets.append(Target(address: address, registration: document.path))
            }
        }
        guard !targets.isEmpty else { return nil }
        return try await accept(content, targets, fields)
    }

    private func accept(
        _ content: Message, _ targets: [Target], _ fields: RegistrationFields, _ companion: Draft.Companion? = nil
    ) async throws -> String {
        try await outbox.accept(draft(content, fields, companion), to: targets).messageID
    }

    private func draft(
        _ content: Message, _ fields: RegistrationFields, _ companion: Draft.Companion?
    ) -> Draft {
        var draft = Draft(message: content, lifetime: Self.lifetime, source: Self.source, registrationFields: fields)
        draft.companion = companion
        return draft
    }

    private func moment(of time: DirectMessage.Time) throws(APIError) -> Timestamp {
        let now = self.now()
        let moment =
            switch time {
            case .at(let moment): moment
            case .after(let delay): now.adding(delay)
            }
        guard moment > now else { throw .invalidArgument("deliver_at has passed; it is \(now) at the gateway") }
        guard moment - now <= ScheduledMessages.longestDelay else {
            throw .invalidArgument("deliver_at may be at most 365 days ahead")
        }
        return moment
    }

    // MARK: Targets

    /// The names of the environments that device tokens may be of.
    var environments: [String] { resolver.forms.environments }

    /// Returns the app of a message, with its environment as the push service spells it.
    private func app(of message: DirectMessage) throws(APIError) -> AppIdentity {
        let forms = resolver.forms
        guard let given = message.app.environment else { return message.app }
        guard let environment = forms.environment(given, of: message.to) else {
            let names = forms.environments(of: message.to)
            throw .invalidArgument(
                names.isEmpty
                    ? "leave out environment: no push service of this gateway has environments"
                    : "environment must be \(names.joined(separator: " or "))")
        }
        return AppIdentity(bundleID: message.app.bundleID, environment: environment)
    }

    private func target(_ message: DirectMessage) async throws -> (Target, RegistrationFields) {
        let app = try app(of: message)
        if let bundleID = app.bundleID, !isAppConfigured(bundleID) {
            throw APIError.invalidArgument(
                "the gateway is not configured for this bundle_id; see apps in its configuration")
        }
        // A token in no service's form has no slash.
        let transport = resolver.forms.transport(of: RegistrationToken(message.to))
        guard message.to.contains("/"), transport == resolver.forms.otherwise else {
            return (
                try await registration(of: RegistrationToken(message.to), app),
                RegistrationResolver.registrationFields
            )
        }
        let path = try DocumentPath(message.to)
        guard app == AppIdentity() else {
            throw APIError.invalidArgument(
                "a registration names its app itself; bundle_id and environment are for device tokens")
        }
        return try await registration(at: path)
    }

    /// Returns the target of a registration of any system, and the form of its document.
    package func registration(at path: DocumentPath) async throws -> (Target, RegistrationFields) {
        guard let document = try await store.document(at: path) else {
            throw APIError.notFound("there is no document \(path); “pushgate documents list” shows what there is")
        }
        guard let form = form(of: document), let address = form.address(in: document) else {
            throw APIError.invalidArgument("the document \(path) is not a registration: it has no token")
        }
        return (Target(address: address, registration: path), form)
    }

    /// Returns the address in a registration document of any system; `nil` for any other document.
    func address(in document: Document) -> PushAddress? { form(of: document)?.address(in: document) }

    /// Returns the time of the last registration.
    func lastRegistration(of document: Document) -> Timestamp {
        form(of: document)?.registeredAt.flatMap { document[$0]?.timestamp } ?? document["updatedAt"]?.timestamp
            ?? document.updateTime
    }

    /// Returns the form of a registration document; `nil` for any other document.
    private func form(of document: Document) -> RegistrationFields? {
        let matching = forms.filter { $0.address(in: document) != nil }
        // Two forms may have the same token field; then the one whose time the document has.
        return matching.first { $0.registeredAt.map { document[$0] != nil } ?? true } ?? matching.first
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
            if let problem = resolver.forms.problem(with: token.value) {
                throw APIError.invalidArgument(problem.text(in: "to"))
            }
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
                transport: registration.address.transport, token: registration.address.token,
                attributes: registration.address.attributes.completed(with: app)),
            registration: try registration.target.registration)
    }
}
