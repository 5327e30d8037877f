/// A private key.
///
/// Its text is never part of an error, a description or a log line.
public final class SigningKey<Scheme: SignatureScheme>: Sendable {
    private let key: KeyHandle

    /// This key as unencrypted PKCS#8 PEM. A secret.
    public let pem: String
    /// The half that verifies, without the half that signs.
    public let publicKey: VerifyingKey<Scheme>

    /// Reads the text of a key file.
    ///
    /// - Parameter pem: unencrypted PKCS#8 PEM (or SEC 1, or PKCS#1).
    /// - Throws: an error that says which wrong thing the text is: no PEM, a public key, encrypted, a key of another scheme.
    public convenience init(pem: String) throws(CryptographyError) {
        let operation = "read the private key"
        let key = try KeyHandle.readingPrivateKey(pem: pem, operation)
        try Scheme.algorithm.require(key, operation)
        try self.init(key)
    }

    private init(_ key: KeyHandle) throws(CryptographyError) {
        self.key = key
        pem = try key.privateKeyPEM()
        publicKey = try VerifyingKey(key.publicHalf())
    }

    /// A new key from OpenSSL's random generator; one of RSA takes about a tenth of a second, sometimes several.
    public static func generate() throws(CryptographyError) -> SigningKey {
        try SigningKey(Scheme.algorithm.generateKey())
    }

    public func signature(for message: some Collection<UInt8>) throws(CryptographyError) -> [UInt8] {
        try Scheme.algorithm.written(key.signature(for: message))
    }
}
