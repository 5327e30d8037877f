/// A private key that signs with ES256: ECDSA on P-256 with SHA-256 (RFC 7518 §3.4).
///
/// Its text is never part of an error, a description or a log line.
public final class ES256PrivateKey: Sendable {
    private let key: KeyHandle

    /// This key as unencrypted PKCS#8 PEM, the format of Apple's `.p8` files. A secret.
    public let pem: String
    /// The half that verifies, without the half that signs.
    public let publicKey: ES256PublicKey

    /// Reads an Apple `.p8` file's text.
    ///
    /// - Parameter pem: PKCS#8 (or SEC 1) PEM of an unencrypted P-256 key.
    /// - Throws: an error that says which wrong thing the text is: no PEM, a public key, encrypted, RSA, another curve.
    public convenience init(pem: String) throws(CryptographyError) {
        let operation = "read the private key"
        let key = try KeyHandle.readingPrivateKey(pem: pem, operation)
        try key.requireP256(operation)
        try self.init(key)
    }

    private init(_ key: KeyHandle) throws(CryptographyError) {
        self.key = key
        pem = try key.privateKeyPEM()
        publicKey = try ES256PublicKey(key.publicHalf())
    }

    /// A new key from OpenSSL's random generator.
    public static func generate() throws(CryptographyError) -> ES256PrivateKey {
        try ES256PrivateKey(.generate())
    }

    /// Signs `message`.
    ///
    /// - Returns: `r || s`, always 64 bytes. Each call gives another, equally valid, signature.
    public func signature(for message: some Collection<UInt8>) throws(CryptographyError) -> [UInt8] {
        try ES256Signature.raw(fromDER: key.signature(for: message))
    }
}
