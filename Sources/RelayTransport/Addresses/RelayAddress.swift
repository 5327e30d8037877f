package import Messaging
import Texts

/// An address that a relay has given to an app on a device: `relay:HOST/ID`.
///
/// The gateway does not interpret the id, whose form is the relay's own: a relay may change it, and former addresses
/// stay good. It is bound to the host's name alone, not to a key of the relay.
package struct RelayAddress: Hashable, Sendable {
    /// The relay.
    package let server: RelayServer
    /// The id at the relay.
    package let id: String

    static let prefix = RegistrationToken.relayPrefix
    /// The greatest number of characters of an id.
    private static let maximumIDLength = 128

    /// Reads an address.
    package init(_ text: String) throws(SubscriptionError) {
        let form = "must have the form \(Self.prefix)HOST/ID"
        guard text.utf8.starts(with: Self.prefix.utf8) else { throw SubscriptionError(RelayField.address, form) }
        let rest = text.dropFirst(Self.prefix.count)
        guard let slash = rest.firstIndex(of: "/") else { throw SubscriptionError(RelayField.address, form) }
        server = try RelayServer(rest[..<slash])
        let id = rest[slash...].dropFirst()
        guard (1...Self.maximumIDLength).contains(id.utf8.count), id.utf8.allSatisfy(\.isBase64URL) else {
            throw SubscriptionError(
                RelayField.address, "must have an id of 1 to \(Self.maximumIDLength) letters, digits, - and _")
        }
        self.id = String(id)
    }

    /// The address in the spelling that stands for all.
    package var text: String { "\(Self.prefix)\(server)/\(id)" }
}

extension RelayAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The relay; the id is a secret.
    package var description: String { "\(Self.prefix)\(server)/…" }
    /// The relay; the id is a secret.
    package var debugDescription: String { description }
    /// A mirror without the id.
    package var customMirror: Mirror { Mirror(self, children: ["server": "\(server)"]) }
}
