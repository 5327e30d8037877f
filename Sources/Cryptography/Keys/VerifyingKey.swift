/// A public key.
package final class VerifyingKey<Scheme: SignatureScheme>: Sendable {
    let key: KeyHandle

    /// The key as SubjectPublicKeyInfo PEM.
    package let pem: String

    /// Reads a public key, or the public half of a private key.
    ///
    /// - Parameter pem: PEM of a SubjectPublicKeyInfo, or of a private key.
    package convenience init(pem: String) throws(CryptographyError) {
        if PEMLabel(firstIn: PEMText.repaired(pem)) == .publicKey {
            try self.init(.readingPublicKey(pem: pem, "read the public key"))
        } else {
            try self.init(SigningKey<Scheme>(pem: pem).publicKey.key)
        }
    }

    /// Makes a key of a handle without a private half.
    init(_ key: KeyHandle) throws(CryptographyError) {
        try Scheme.algorithm.require(key, "read the public key")
        self.key = key
        pem = try key.publicKeyPEM()
    }

    /// Returns `true` if the signature was made for the message with this key's private half.
    ///
    /// A signature with a wrong length or form is not valid; this is not an error.
    package func isValid(_ signature: [UInt8], for message: some Collection<UInt8>) -> Bool {
        Scheme.algorithm.read(signature).map { key.isValid($0, for: message) } ?? false
    }
}
