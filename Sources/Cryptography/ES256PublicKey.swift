/// A public key that verifies ES256 signatures: ECDSA on P-256 with SHA-256 (RFC 7518 §3.4).
public final class ES256PublicKey: Sendable {
    private let key: KeyHandle

    /// This key as SubjectPublicKeyInfo PEM.
    public let pem: String

    /// Reads a public key, or takes the public half of a private one.
    ///
    /// - Parameter pem: SubjectPublicKeyInfo PEM, or an Apple `.p8` file's text.
    public convenience init(pem: String) throws(CryptographyError) {
        if PEMLabel(firstIn: pem) == .publicKey {
            try self.init(.readingPublicKey(pem: pem, "read the public key"))
        } else {
            try self.init(ES256PrivateKey(pem: pem).publicKey.key)
        }
    }

    /// Takes a handle that holds no private half.
    init(_ key: KeyHandle) throws(CryptographyError) {
        try key.requireP256("read the public key")
        self.key = key
        pem = try key.publicKeyPEM()
    }

    /// Whether `signature` (`r || s`, 64 bytes) was made for `message` by this key's private half.
    ///
    /// A signature of another length, or one that is no signature at all, is simply not valid.
    public func isValid(_ signature: [UInt8], for message: some Collection<UInt8>) -> Bool {
        guard let der = ES256Signature.der(fromRaw: signature) else { return false }
        return key.isValid(der, for: message)
    }
}
