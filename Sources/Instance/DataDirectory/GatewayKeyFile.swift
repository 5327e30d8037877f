import Cryptography

/// The gateway key of a data directory.
package struct GatewayKeyFile: Sendable {
    static let name = "gateway-key"

    private let files: DataFolder

    init(in files: DataFolder) { self.files = files }

    /// The path of the file.
    var path: String { "\(files.path)/\(Self.name)" }

    /// Returns the key, and creates one if there is none.
    ///
    /// - Throws: `GatewayError` if the file cannot be read or does not hold a gateway key. Another key would
    ///   invalidate every registration token issued so far.
    package func readOrCreate() throws(GatewayError) -> GatewayKey {
        if let key = try existing() { return key }
        let bytes = RandomBytes.generate(GatewayKey.byteCount)
        try files.write(Base64URL.encode(bytes) + "\n", to: Self.name)
        return GatewayKey(bytes)
    }

    /// Returns the key, or `nil` if there is none.
    package func existing() throws(GatewayError) -> GatewayKey? {
        guard let text = try files.text(of: Self.name) else { return nil }
        guard let bytes = Base64URL.decode(text), bytes.count == GatewayKey.byteCount else {
            throw GatewayError(
                "\(path) is damaged: it does not hold a gateway key. Restore it from a backup; or delete it, which "
                    + "makes every registration token issued so far invalid.")
        }
        return GatewayKey(bytes)
    }
}

/// The secret, of 32 bytes, with which a gateway signs the tokens that it issues. Each use has a key of its own,
/// derived from it.
package struct GatewayKey: Sendable {
    fileprivate static let byteCount = 32

    private let bytes: [UInt8]

    fileprivate init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The key that signs registration tokens.
    package var registrationTokens: [UInt8] { derived(for: "registration-tokens") }

    /// The key that signs access tokens.
    package var accessTokens: [UInt8] { derived(for: "access-tokens") }

    /// A number of this gateway, for the resume tokens of listeners.
    package var serverNumber: UInt64 { derived(for: "resume-tokens").prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }

    /// Returns the key for one purpose.
    package func derived(for use: String) -> [UInt8] { HMACSHA256.code(for: Array(use.utf8), key: bytes) }

    /// Returns the proof that its sender has this key, for a challenge that somebody else chose.
    package func proof(of challenge: String) -> String {
        Base64URL.encode(HMACSHA256.code(for: Array(challenge.utf8), key: derived(for: "proofs")))
    }
}
