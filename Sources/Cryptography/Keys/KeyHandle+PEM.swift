import COpenSSL

extension KeyHandle {
    /// Reads a private key: PKCS#8 as in Apple's `.p8` files and Google's service accounts, or SEC 1 or PKCS#1 as
    /// older tools write them.
    ///
    /// - Throws: an error that says why the text is not a private key: no PEM, a public key, encrypted, or another
    ///   kind.
    static func readingPrivateKey(pem: String, _ operation: String) throws(CryptographyError) -> KeyHandle {
        let pem = PEMText.repaired(pem)
        try requirePrivateKey(pem, operation)
        let pointer = try MemoryBIO.reading(pem, operation) { bio in
            PEM_read_bio_PrivateKey(bio, nil, refusePassphrase, nil)
        }
        return KeyHandle(owning: pointer)
    }

    private static func requirePrivateKey(_ pem: String, _ operation: String) throws(CryptographyError) {
        switch PEMLabel(firstIn: pem) {
        case .privateKey: break
        case .encryptedPrivateKey:
            throw CryptographyError(operation: operation, reason: "it is encrypted; give it without a passphrase")
        case .publicKey:
            throw CryptographyError(operation: operation, reason: "it is a public key")
        case .other(let label):
            throw CryptographyError(operation: operation, reason: "it is PEM of another kind: \(label)")
        case nil:
            throw CryptographyError(
                operation: operation, reason: "it is not PEM: there is no -----BEGIN PRIVATE KEY-----")
        }
    }

    /// Reads a SubjectPublicKeyInfo (RFC 5280 §4.1).
    static func readingPublicKey(pem: String, _ operation: String) throws(CryptographyError) -> KeyHandle {
        let pointer = try MemoryBIO.reading(PEMText.repaired(pem), operation) { bio in
            PEM_read_bio_PUBKEY(bio, nil, refusePassphrase, nil)
        }
        return KeyHandle(owning: pointer)
    }

    /// The private key as unencrypted PKCS#8 (RFC 5958).
    func privateKeyPEM() throws(CryptographyError) -> String {
        try MemoryBIO.writing("write a private key") { bio in
            PEM_write_bio_PKCS8PrivateKey(bio, pointer, nil, nil, 0, nil, nil)
        }
    }

    /// The public key as a SubjectPublicKeyInfo (RFC 5280 §4.1).
    func publicKeyPEM() throws(CryptographyError) -> String {
        try MemoryBIO.writing("write a public key") { bio in
            PEM_write_bio_PUBKEY(bio, pointer)
        }
    }
}

/// Rejects a request for a passphrase. Without this, OpenSSL would ask on the terminal and wait.
func refusePassphrase(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ isWriting: Int32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    -1
}

/// The label of the first PEM block of a text (RFC 7468 §2).
///
/// OpenSSL's error is the same for most wrong inputs. The label permits a message that says which kind of file the
/// path names.
enum PEMLabel: Equatable {
    case privateKey
    case encryptedPrivateKey
    case publicKey
    case other(String)

    /// Finds the label; `nil` if the text has no PEM block.
    init?(firstIn text: String) {
        let lines = text.split(whereSeparator: \.isNewline)
        guard let start = lines.firstIndex(where: { $0.hasPrefix("-----BEGIN ") }) else { return nil }
        let isEncrypted = lines[start...].dropFirst().first == "Proc-Type: 4,ENCRYPTED"
        let name = lines[start].dropFirst("-----BEGIN ".count).prefix { $0 != "-" }
        switch name {
        case "ENCRYPTED PRIVATE KEY": self = .encryptedPrivateKey
        case "PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY": self = isEncrypted ? .encryptedPrivateKey : .privateKey
        case "PUBLIC KEY": self = .publicKey
        default: self = .other(String(name))
        }
    }
}
