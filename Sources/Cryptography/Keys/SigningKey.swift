/// A private key.
///
/// Errors, descriptions and log lines never contain its text.
package final class SigningKey<Scheme: SignatureScheme>: Sendable {
    private let key: KeyHandle

    /// The key as unencrypted PKCS#8 PEM. This is a secret.
    package let pem: String
    /// The public half, with which the signatures are verified.
    package let publicKey: VerifyingKey<Scheme>

    /// Reads the text of a key file.
    ///
    /// - Parameter pem: unencrypted PKCS#8 PEM (or SEC 1, or PKCS#1), as ``PEMText`` repairs it.
    /// - Throws: an error that says why the text is not such a key: no PEM, a public key, encrypted, or another
    ///   scheme.
    package convenience init(pem: String) throws(CryptographyError) {
        let operation = "read the private key"
        let key = try KeyHandle.readingPrivateKey(pem: pem, operation)
        try Scheme.algorithm.require(key, operation)
        try self.init(key)
    }

    /// Takes a key of the scheme.
    init(_ key: KeyHandle) throws(CryptographyError) {
        self.key = key
        pem = try key.privateKeyPEM()
        publicKey = try VerifyingKey(key.publicHalf())
    }

    /// Makes a new key with OpenSSL's random generator. An RSA key takes about a tenth of a second, sometimes
    /// several.
    package static func generate() throws(CryptographyError) -> SigningKey {
        try SigningKey(Scheme.algorithm.generateKey())
    }

    /// Returns the signature of a message, in the form of JSON Web Signatures.
    package func signature(for message: some Collection<UInt8>) throws(CryptographyError) -> [UInt8] {
        try Scheme.algorithm.written(key.signature(for: message))
    }
}
