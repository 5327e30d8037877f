/// The forms of tokens, which give a token that a client sends its push service.
///
/// A registration keeps the service that was stored with it, so a new form does not change earlier registrations.
package struct TokenForms: Sendable {
    /// The service of all tokens that have no service's form.
    package let otherwise: TransportName
    private let recognized: @Sendable (RegistrationToken) -> TransportName?
    private let parts: @Sendable (RegistrationToken, TransportName) -> Parts

    /// The parts of a text that a client sends as a token.
    package struct Parts: Sendable {
        /// The token by which the push service knows the app on the device.
        package let token: RegistrationToken
        /// The parts that only the push service knows.
        package let attributes: AddressAttributes

        /// Creates parts.
        package init(token: RegistrationToken, attributes: AddressAttributes = .empty) {
            self.token = token
            self.attributes = attributes
        }
    }

    /// Creates forms.
    ///
    /// - Parameters:
    ///   - parts: Returns the parts of a text by the rule of its service.
    ///   - recognized: Returns the service whose form a token has; `nil` if there is none.
    package init(
        otherwise: TransportName,
        parts: @escaping @Sendable (RegistrationToken, TransportName) -> Parts = { text, _ in Parts(token: text) },
        recognized: @escaping @Sendable (RegistrationToken) -> TransportName?
    ) {
        self.otherwise = otherwise
        self.parts = parts
        self.recognized = recognized
    }

    /// The forms that documents without the name of a service rely on.
    package static let standard = TokenForms(otherwise: .fcm, recognized: { TransportName(ofToken: $0.value) })

    /// Returns the service of a token.
    package func transport(of token: RegistrationToken) -> TransportName { recognized(token) ?? otherwise }

    /// Returns the address for a token as an app sent it.
    package func address(of token: String, app: AppIdentity = AppIdentity()) -> PushAddress {
        let text = RegistrationToken(token)
        let transport = transport(of: text)
        let parts = self.parts(text, transport)
        return PushAddress(transport: transport, token: parts.token, app: app, attributes: parts.attributes)
    }
}
