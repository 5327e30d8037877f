package import JSON
package import Messaging

/// The text that stands for an address at a relay with its secrets where a registration token is expected.
///
/// `relay:HOST/ID.{send_secret}.{p256dh}.{auth}.{collapse_key}`. The address alone, `relay:HOST/ID`, is the token: it
/// names the device, and nothing can be sent by it.
package enum RelayToken {
    private static let names = [
        RelayField.sendSecret, RelayField.publicKey, RelayField.authenticationSecret, RelayField.collapseKey,
    ]
    /// The name of the app in addresses. The relay alone knows the app.
    private static let app = "relay"

    /// Returns the text of an address.
    static func text(of address: RelayAddress, _ keys: RelayKeys) -> RegistrationToken {
        let secrets = keys.secrets
        return RegistrationToken(([address.text] + names.map { secrets[$0] ?? "" }).joined(separator: "."))
    }

    /// Returns the text of an address that a client sends with its secrets as an object; `nil` for another object.
    package static func text(of json: JSONValue) throws(SubscriptionError) -> RegistrationToken? {
        guard let text = json[RelayField.address]?.string, RegistrationToken(text).isAtRelay else { return nil }
        var secrets: [String: String] = [:]
        for name in names { secrets[name] = json[name]?.string }
        return self.text(of: try RelayAddress(text), try RelayKeys(secrets))
    }

    /// Returns the reason why a text that begins as such a token does cannot be sent to; `nil` for any other text.
    static func problem(with text: RegistrationToken) -> SubscriptionError? {
        guard text.isAtRelay else { return nil }
        do throws(SubscriptionError) {
            _ = try read(text)
            return nil
        } catch {
            return SubscriptionError(nil, "is no address at a relay with its secrets: \(error)")
        }
    }

    private static func read(
        _ text: RegistrationToken
    ) throws(SubscriptionError) -> (address: RelayAddress, keys: RelayKeys) {
        let (first, rest) = split(text.value)
        let address = try RelayAddress(first)
        guard rest.count == names.count else {
            throw SubscriptionError(
                RelayField.address, "needs its secrets beside it, as relay: \(names.joined(separator: ", "))")
        }
        let keys = try RelayKeys(Dictionary(zip(names, rest.map(String.init))) { first, _ in first })
        guard self.text(of: address, keys).value == text.value else {
            throw SubscriptionError(
                RelayField.address, "must have a host in small letters without the standard port, and base64url")
        }
        return (address, keys)
    }

    /// Returns the address in a text, and the parts behind it. A host has dots, an id has none.
    private static func split(_ text: String) -> (address: String, rest: [Substring]) {
        guard let slash = text.firstIndex(of: "/") else { return (text, []) }
        let parts = text[slash...].split(separator: ".", omittingEmptySubsequences: false)
        return (String(text[..<slash] + (parts.first ?? "")), Array(parts.dropFirst()))
    }

    /// Returns the parts of an address: `relay:HOST/ID` as the token, the secrets, and the lane of its relay. A client
    /// has no part in the lane. A text that is no address with its secrets has none of them.
    package static func parts(of text: RegistrationToken) -> TokenForms.Parts {
        let address = try? RelayAddress(split(text.value).address)
        let lane = AppIdentity(bundleID: app, environment: RelayLane.name(of: address?.server))
        guard let address, let parsed = try? read(text) else {
            return TokenForms.Parts(
                token: address.map { RegistrationToken($0.text) } ?? text, attributes: AddressAttributes(app: lane))
        }
        return TokenForms.Parts(
            token: RegistrationToken(address.text),
            attributes: AddressAttributes(app: lane, secrets: parsed.keys.secrets))
    }

    /// Returns the lane of a relay's addresses.
    static func lane(of server: RelayServer) -> Lane {
        Lane(transport: .relay, app: AppIdentity(bundleID: app, environment: RelayLane.name(of: server)))
    }
}
