/// The forms of tokens, which give a token that a client sends its push service.
///
/// A registration keeps the service that was stored with it, so a new form does not change earlier registrations.
package struct TokenForms: Sendable {
    /// The service of all tokens that have no service's form.
    package let otherwise: TransportName
    private let recognized: @Sendable (RegistrationToken) -> TransportName?

    /// Creates forms.
    ///
    /// - Parameter recognized: Returns the service whose form a token has; `nil` if there is none.
    package init(
        otherwise: TransportName, recognized: @escaping @Sendable (RegistrationToken) -> TransportName?
    ) {
        self.otherwise = otherwise
        self.recognized = recognized
    }

    /// The forms that documents without the name of a service rely on.
    package static let standard = TokenForms(otherwise: .fcm) { TransportName(ofToken: $0.value) }

    /// Returns the service of a token.
    package func transport(of token: RegistrationToken) -> TransportName { recognized(token) ?? otherwise }

    /// Returns the address for a token as an app sent it.
    package func address(of token: String, app: AppIdentity = AppIdentity()) -> PushAddress {
        let token = RegistrationToken(token)
        return PushAddress(transport: transport(of: token), token: token, app: app)
    }
}
