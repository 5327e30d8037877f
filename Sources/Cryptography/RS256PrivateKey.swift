/// A private key that signs with RS256: RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518 §3.3).
///
/// Its text is never part of an error, a description or a log line.
public final class RS256PrivateKey: Sendable {
    private let key: KeyHandle

    /// This key as unencrypted PKCS#8 PEM, the `private_key` of Google's service accounts. A secret.
    public let pem: String
    /// The half that verifies, without the half that signs.
    public let publicKey: RS256PublicKey

    /// Reads a service account's `private_key`.
    ///
    /// - Parameter pem: PKCS#8 (or PKCS#1) PEM of an unencrypted RSA key of 2048 bits or more.
    /// - Throws: an error that says which wrong thing the text is: no PEM, a public key, encrypted, not RSA, too short.
    public convenience init(pem: String) throws(CryptographyError) {
        let operation = "read the private key"
        let key = try KeyHandle.readingPrivateKey(pem: pem, operation)
        try key.requireRSA(operation)
        try self.init(key)
    }

    private init(_ key: KeyHandle) throws(CryptographyError) {
        self.key = key
        pem = try key.privateKeyPEM()
        publicKey = try RS256PublicKey(key.publicHalf())
    }

    /// A new key of 2048 bits from OpenSSL's random generator: about a tenth of a second, sometimes several.
    public static func generate() throws(CryptographyError) -> RS256PrivateKey {
        try RS256PrivateKey(.generateRSA())
    }

    /// Signs `message`.
    ///
    /// - Returns: as many bytes as the key's modulus has: 256 for a key of 2048 bits. Each call gives the same.
    public func signature(for message: some Collection<UInt8>) throws(CryptographyError) -> [UInt8] {
        try key.signature(for: message)
    }
}
