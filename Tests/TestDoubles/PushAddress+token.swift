package import Messaging

extension PushAddress {
    /// Creates the address for a token, whose transport follows from its form.
    package init(token: String, app: AppIdentity = AppIdentity()) {
        let token = RegistrationToken(token)
        self.init(
            transport: TokenForms.standard.transport(of: token), token: token, attributes: AddressAttributes(app: app))
    }
}
