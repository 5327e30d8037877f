/// A public key that verifies RS256 signatures: RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518 §3.3).
public final class RS256PublicKey: Sendable {
    private let key: KeyHandle

    /// This key as SubjectPublicKeyInfo PEM.
    public let pem: String

    /// Reads a public key, or takes the public half of a private one.
    ///
    /// - Parameter pem: PEM of an RSA key of 2048 bits or more: a SubjectPublicKeyInfo, or a private key's text.
    public convenience init(pem: String) throws(CryptographyError) {
        if PEMLabel(firstIn: pem) == .publicKey {
            try self.init(.readingPublicKey(pem: pem, "read the public key"))
        } else {
            try self.init(RS256PrivateKey(pem: pem).publicKey.key)
        }
    }

    /// Takes a handle that holds no private half.
    init(_ key: KeyHandle) throws(CryptographyError) {
        try key.requireRSA("read the public key")
        self.key = key
        pem = try key.publicKeyPEM()
    }

    /// Whether `signature` was made for `message` by this key's private half.
    ///
    /// A signature of another length, or one that is no signature at all, is simply not valid.
    public func isValid(_ signature: [UInt8], for message: some Collection<UInt8>) -> Bool {
        key.isValid(signature, for: message)
    }
}
