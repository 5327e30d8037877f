package import DocumentStore

/// The part of a device's registration by which it shows cards.
///
/// `liveActivity`: a map of `token`? (the push-to-start token; without it the device shows each card as one
/// notification, which is replaced) and `frequentUpdates`.
package struct CardRegistration: Hashable, Sendable {
    /// The field of a registration.
    package static let field = "liveActivity"
    private static let token = "token"
    private static let frequentUpdates = "frequentUpdates"

    /// The app's push-to-start token; `nil` for a device without Live Activities, such as a browser.
    package let startToken: RegistrationToken?
    /// `false` if the person has switched frequent updates off.
    package let hasFrequentUpdates: Bool

    package init(startToken: RegistrationToken?, hasFrequentUpdates: Bool = true) {
        self.startToken = startToken
        self.hasFrequentUpdates = hasFrequentUpdates
    }

    /// Reads a registration; `nil` if the device shows no cards.
    package init?(_ document: Document) {
        guard let map = document[Self.field]?.map else { return nil }
        self.init(
            startToken: map[Self.token]?.string.map { RegistrationToken($0) },
            hasFrequentUpdates: map[Self.frequentUpdates]?.boolean ?? true)
    }

    /// The stored form.
    package var value: Value {
        var map: Fields = [Self.frequentUpdates: .boolean(hasFrequentUpdates)]
        map[Self.token] = startToken.map { .string($0.canonical.value) }
        return .map(map)
    }
}

/// The token by which one phone's card is updated, as the app sends it.
package struct CardToken: Hashable, Sendable {
    /// The id of the card, from its attributes.
    package let card: String
    /// The update token.
    package let token: RegistrationToken

    package init(card: String, token: RegistrationToken) {
        self.card = card
        self.token = token
    }
}
