import JSON

/// The push services that a gateway knows, those without settings too.
package struct PushServiceTable: Sendable {
    /// The services, in the order in which the gateway shows them.
    package let types: [any PushService.Type]

    package init(_ types: [any PushService.Type]) { self.types = types }

    /// Returns the service of a name; `nil` if there is none. That of cards is Apple's.
    package func service(_ name: TransportName) -> (any PushService.Type)? {
        let name = name == .liveActivity ? .apns : name
        return types.first { $0.name == name }
    }

    /// The forms of the services' addresses.
    package var forms: TokenForms {
        let otherwise = types.first { $0.takesOtherTokens }?.name ?? TransportName(rawValue: "none")
        return TokenForms(
            otherwise: otherwise, environments: types.map { ($0.name, $0.environments) },
            parts: { [self] text, name in service(name)?.parts(of: text) ?? TokenForms.Parts(token: text) },
            subscriptions: { [self] json throws(SubscriptionError) in try token(ofSubscription: json) },
            problems: { [self] text, name in service(name)?.problem(with: text) },
            recognized: { [self] token in types.first { $0.recognizes(token) }?.name })
    }

    private func token(ofSubscription json: JSONValue) throws(SubscriptionError) -> RegistrationToken? {
        for type in types {
            if let token = try type.token(ofSubscription: json) { return token }
        }
        return nil
    }

    /// Returns the rejection that the first of the services has for a message to any target; `nil` if there is none.
    package func rejection(of message: OutgoingMessage) -> Rejection? {
        types.lazy.compactMap { $0.rejection(of: message) }.first
    }
}
