import Cryptography
import Messaging

/// The id of an installation's address at the relay: 16 bytes in base64url.
///
/// It is derived from the installation's public key under a secret of the relay. The same installation therefore gets
/// the same id each time, without a record of it, and nobody else can tell an id from a key.
struct AddressID: Hashable, Sendable {
    private static let byteCount = 16
    private static let purpose = Array("relay-address".utf8)

    /// 22 characters.
    let text: String

    /// Derives the id of an installation.
    ///
    /// - Parameter secret: The relay's secret for addresses.
    init(of key: P256Point, under secret: [UInt8]) {
        let code = HMACSHA256.code(for: Self.purpose + key.bytes, key: secret)
        text = Base64URL.encode(code.prefix(Self.byteCount))
    }

    /// Reads an id; `nil` if the text is not one.
    init?(_ text: some StringProtocol) {
        guard Base64URL.decode(text)?.count == Self.byteCount else { return nil }
        self.text = String(text)
    }

    /// Reads the id in an address, `relay:HOST/ID`; `nil` if the text has another form. The host does not count: an
    /// author may give the relay another name, and addresses stay good.
    init?(inAddress address: String) {
        let prefix = RegistrationToken.relayPrefix
        guard address.hasPrefix(prefix), let slash = address.lastIndex(of: "/"),
            address.index(address.startIndex, offsetBy: prefix.utf8.count) < slash
        else { return nil }
        self.init(address[address.index(after: slash)...])
    }

    /// Returns the address as senders name it.
    func address(at host: RelayHost) -> String { "\(RegistrationToken.relayPrefix)\(host)/\(text)" }
}
