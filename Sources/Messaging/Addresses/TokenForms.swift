package import JSON

/// The forms of addresses: they give a token that a client sends its push service, and the address its attributes.
///
/// A registration keeps the service that was stored with it, so a new form does not change earlier registrations.
package struct TokenForms: Sendable {
    /// The service of all tokens that have no service's form.
    package let otherwise: TransportName
    private let recognized: @Sendable (RegistrationToken) -> TransportName?
    private let parts: @Sendable (RegistrationToken, TransportName) -> Parts
    private let subscriptions: SubscriptionReader
    private let problems: @Sendable (RegistrationToken, TransportName) -> SubscriptionError?
    private let services: [TransportName: [String]]
    /// The names of the environments of all services' tokens, in the services' order.
    package let environments: [String]

    /// The parts of a text that a client sends as a token.
    package struct Parts: Sendable {
        /// The token by which the push service knows the app on the device.
        package let token: RegistrationToken
        /// The parts that only the push service knows. Those of the app that they leave open are the client's.
        package let attributes: AddressAttributes

        package init(token: RegistrationToken, attributes: AddressAttributes = .empty) {
            self.token = token
            self.attributes = attributes
        }
    }

    /// A function that returns the token of a subscription; `nil` if no service has subscriptions.
    package typealias SubscriptionReader =
        @Sendable (JSONValue) throws(SubscriptionError) -> RegistrationToken?

    /// Creates forms.
    ///
    /// - Parameters:
    ///   - environments: The names of each service's environments.
    ///   - parts: Returns the parts of a text by the rule of its service.
    ///   - subscriptions: Returns the token of a subscription.
    ///   - problems: Returns the reason why a text is none of the tokens of its service, although it begins like one.
    ///   - recognized: Returns the service whose form a token has; `nil` if there is none.
    package init(
        otherwise: TransportName, environments: [(service: TransportName, names: [String])] = [],
        parts: @escaping @Sendable (RegistrationToken, TransportName) -> Parts = { text, _ in Parts(token: text) },
        subscriptions: @escaping SubscriptionReader = { _ in nil },
        problems: @escaping @Sendable (RegistrationToken, TransportName) -> SubscriptionError? = { _, _ in nil },
        recognized: @escaping @Sendable (RegistrationToken) -> TransportName?
    ) {
        self.otherwise = otherwise
        self.parts = parts
        self.subscriptions = subscriptions
        self.problems = problems
        self.recognized = recognized
        services = Dictionary(environments) { first, _ in first }
        self.environments = environments.flatMap(\.names).reduce(into: []) { names, name in
            if !names.contains(name) { names.append(name) }
        }
    }

    /// The forms that documents without the name of a service rely on.
    package static let standard = TokenForms(otherwise: .fcm, recognized: { TransportName(ofToken: $0.value) })

    /// Returns the token of a subscription that a client sends in place of a token; `nil` if no service has
    /// subscriptions.
    package func token(ofSubscription json: JSONValue) throws(SubscriptionError) -> RegistrationToken? {
        try subscriptions(json)
    }

    /// Returns the reason why a text that a client registers as a token can never be sent to; `nil` if it may be a
    /// token.
    package func problem(with token: String) -> SubscriptionError? {
        let text = RegistrationToken(token)
        return problems(text, transport(of: text))
    }

    /// Returns the service of a token.
    package func transport(of token: RegistrationToken) -> TransportName { recognized(token) ?? otherwise }

    /// Returns the names of the environments that a token may be of. A service without environments takes the names of
    /// all services: an app that is tried out with the inbox names the environment that it will have.
    package func environments(of token: String) -> [String] {
        environments(of: transport(of: RegistrationToken(token)))
    }

    private func environments(of service: TransportName) -> [String] {
        if let own = services[service], !own.isEmpty { own } else { environments }
    }

    /// Returns the name of a token's environment as its service spells it; `nil` if there is no such environment.
    ///
    /// - Parameter name: The name as a client gives it, in any case.
    package func environment(_ name: String, of token: String) -> String? {
        Self.environment(name, among: environments(of: token))
    }

    /// Returns the name among those of all services' environments, as its service spells it; `nil` if there is no such
    /// environment.
    ///
    /// - Parameter name: The name in any case.
    package func environment(_ name: String) -> String? { Self.environment(name, among: environments) }

    private static func environment(_ name: String, among names: [String]) -> String? {
        let name = name.lowercased()
        return names.first { $0.lowercased() == name }
    }

    /// Returns the address for a token as an app sent it.
    ///
    /// - Parameter app: The app, as the client named it.
    package func address(of token: String, app: AppIdentity = AppIdentity()) -> PushAddress {
        let text = RegistrationToken(token)
        let transport = transport(of: text)
        let parts = self.parts(text, transport)
        let environment = app.environment.map { name in
            Self.environment(name, among: environments(of: transport)) ?? name
        }
        return PushAddress(
            transport: transport, token: parts.token,
            attributes: parts.attributes.completed(
                with: AppIdentity(bundleID: app.bundleID, environment: environment)))
    }
}
