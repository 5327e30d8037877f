package import JSON

/// The subscriptions of browsers, which clients register in place of tokens.
package struct BrowserSubscriptions: Sendable {
    private let forms: TokenForms
    private let refusal: @Sendable (PushAddress) -> SubscriptionRefusal?

    /// Takes subscriptions of the forms' services.
    ///
    /// - Parameter refusal: Returns the reason why the gateway does not take an address; `nil` if it does.
    package init(forms: TokenForms, refusal: @escaping @Sendable (PushAddress) -> SubscriptionRefusal? = { _ in nil }) {
        self.forms = forms
        self.refusal = refusal
    }

    /// Returns the registered form of a subscription that a client sends.
    package func subscription(_ json: JSONValue) throws(SubscriptionRefusal) -> RegisteredSubscription {
        let text: RegistrationToken?
        do throws(SubscriptionError) {
            text = try forms.token(ofSubscription: json)
        } catch {
            throw .invalid(error)
        }
        guard let text else { throw .switchedOff("no push service of this gateway has subscriptions") }
        let address = forms.address(of: text.value)
        if let refusal = refusal(address) { throw refusal }
        return RegisteredSubscription(text: text, address: address)
    }
}

/// A subscription that a client registers.
package struct RegisteredSubscription: Hashable, Sendable {
    /// The text that stands for it where a token is expected.
    package let text: RegistrationToken
    /// The address that it leads to.
    package let address: PushAddress
}
