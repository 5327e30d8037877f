/// A public key.
public final class VerifyingKey<Scheme: SignatureScheme>: Sendable {
    private let key: KeyHandle

    /// This key as SubjectPublicKeyInfo PEM.
    public let pem: String

    /// Reads a public key, or takes the public half of a private one.
    ///
    /// - Parameter pem: PEM of a SubjectPublicKeyInfo, or a private key's.
    public convenience init(pem: String) throws(CryptographyError) {
        if PEMLabel(firstIn: pem) == .publicKey {
            try self.init(.readingPublicKey(pem: pem, "read the public key"))
        } else {
            try self.init(SigningKey<Scheme>(pem: pem).publicKey.key)
        }
    }

    /// Takes a handle that holds no private half.
    init(_ key: KeyHandle) throws(CryptographyError) {
        try Scheme.algorithm.require(key, "read the public key")
        self.key = key
        pem = try key.publicKeyPEM()
    }

    /// Whether `signature` was made for `message` by this key's private half.
    ///
    /// A signature of another length, or one that is no signature at all, is simply not valid.
    public func isValid(_ signature: [UInt8], for message: some Collection<UInt8>) -> Bool {
        Scheme.algorithm.read(signature).map { key.isValid($0, for: message) } ?? false
    }
}
