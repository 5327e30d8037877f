/// The addresses of pushes to cards. A token is Apple's; a card with a channel has its own id in place of one.
package enum CardAddress {
    private static let prefix = "card:"
    /// The attribute of a phone on which frequent updates are switched off.
    private static let pace = (name: "updates", slow: "infrequent")

    /// Returns the address of all phones that follow a card's channel.
    ///
    /// - Parameter isSlow: `true` if frequent updates are switched off on one of them.
    static func channel(of card: String, _ app: AppIdentity, isSlow: Bool) -> PushAddress {
        address(RegistrationToken(prefix + card), app, isSlow: isSlow)
    }

    /// Returns the address of one phone's token: the app's push-to-start token, or the update token of a card.
    ///
    /// - Parameter isSlow: `true` if frequent updates are switched off on the phone.
    package static func token(_ token: RegistrationToken, _ app: AppIdentity, isSlow: Bool) -> PushAddress {
        guard !token.isEmulated else {
            return PushAddress(transport: .emulated, token: token, attributes: AddressAttributes(app: app))
        }
        return address(token, app, isSlow: isSlow)
    }

    /// Returns the address of the pushes that change and end a card, for a system that keeps no cards of its own: its
    /// channel, or the token in the gateway's inbox.
    ///
    /// - Parameter phone: the token that has started the card.
    package static func changes(
        of card: String, on phone: RegistrationToken, _ app: AppIdentity, isSlow: Bool
    ) -> PushAddress {
        phone.isEmulated ? token(phone, app, isSlow: isSlow) : channel(of: card, app, isSlow: isSlow)
    }

    private static func address(_ token: RegistrationToken, _ app: AppIdentity, isSlow: Bool) -> PushAddress {
        PushAddress(
            transport: .liveActivity, token: token,
            attributes: AddressAttributes(app: app, secrets: isSlow ? [pace.name: pace.slow] : [:]))
    }

    /// Returns the card whose channel an address stands for; `nil` for one of a token.
    static func card(of address: PushAddress) -> String? {
        let token = address.token.value
        return token.hasPrefix(prefix) ? String(token.dropFirst(prefix.count)) : nil
    }

    /// Returns `true` for the address of phones on which frequent updates are switched off.
    static func isSlow(_ address: PushAddress) -> Bool { address.attributes.secrets[pace.name] == pace.slow }
}
