/// What the first PEM block of a text says it holds (RFC 7468 §2).
///
/// OpenSSL answers every wrong input with the same few words; looking at the label first lets an operator be told
/// which wrong file the path names.
enum PEMLabel: Equatable {
    case privateKey
    case encryptedPrivateKey
    case publicKey
    case other(String)

    /// The label of the first block, or `nil` when there is no block at all.
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
