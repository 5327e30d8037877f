import Foundation

/// The stored part of an installation at its author's relay. Everything in it is secret.
struct RelayState: Codable, Hashable, Sendable {
    /// The right of one gateway to send to this installation.
    struct Access: Codable, Hashable, Sendable {
        /// The id of the send secret, by which the installation revokes it.
        let id: String
        let sendSecret: String
        /// The key of the digests by which notifications replace each other.
        let collapseKey: Data
    }

    let keys: RelayKeys
    /// The base URL of the app's relay.
    var relay: String
    /// The address, `relay:HOST/ID`; `nil` if the relay has given none yet, or knows it no longer.
    var address: String?
    /// The rights of gateways, by the base URL of each.
    var gateways: [String: Access] = [:]
    /// The ids of the send secrets that the relay has yet to revoke.
    var revocations: Set<String> = []

    init(keys: RelayKeys, relay: String) {
        self.keys = keys
        self.relay = relay
    }

    /// The id in the address; `nil` if there is no address.
    var addressID: String? { address.flatMap(Self.id) }

    /// Returns the id in an address; `nil` if the text is no address.
    static func id(of address: String) -> String? {
        guard address.hasPrefix("relay:"), let slash = address.lastIndex(of: "/") else { return nil }
        let id = String(address[address.index(after: slash)...])
        return !id.isEmpty && Base64URLText.isEncoded(id) ? id : nil
    }

    /// Takes the base URL of the app's relay. The address stays until that relay has answered: it may be the former one
    /// under another name, and gateways go on with the address meanwhile.
    mutating func take(relay: String) { self.relay = relay }

    /// Takes an address. Send secrets are good for its id, at every host of the relay; one with another id has none
    /// yet.
    mutating func take(address: String) {
        if addressID != Self.id(of: address) { forgetAddress() }
        self.address = address
    }

    /// Forgets the address with its send secrets, which are good for it alone.
    mutating func forgetAddress() {
        address = nil
        gateways = [:]
        revocations = []
    }

    /// Takes the relay's list of send secrets: forgets those that it does not have, and revokes those that no gateway
    /// got, because their answer was lost.
    mutating func reconcile(withListed ids: Set<String>) {
        gateways = gateways.filter { ids.contains($0.value.id) }
        revocations = ids.subtracting(gateways.values.map(\.id))
    }

    /// Takes a gateway's right away.
    mutating func revoke(_ gateway: String) {
        if let access = gateways.removeValue(forKey: gateway) { revocations.insert(access.id) }
    }
}

/// The way from one gateway to this installation by the relay, as a registration names it.
///
/// ``PushSubscriptions`` registers it for chats. For other systems of a gateway the app sends ``address`` in place of
/// the token, and ``secrets`` beside it as the member `relay`. Its description has none of them.
public struct RelayRoute: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The address, `relay:HOST/ID`.
    public let address: String
    let sendSecret: String
    let publicKey: [UInt8]
    let authentication: Data
    let collapseKey: Data

    /// The secrets by their wire names: the gateway's send secret, and the keys by which it seals notifications.
    public var secrets: [String: String] {
        [
            "send_secret": sendSecret, "p256dh": Base64URLText.encode(publicKey),
            "auth": Base64URLText.encode(authentication), "collapse_key": Base64URLText.encode(collapseKey),
        ]
    }

    /// `<redacted>`, so that logs do not show the secrets.
    public var description: String { "<redacted>" }
    /// An empty mirror, so that dumps do not show the secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
