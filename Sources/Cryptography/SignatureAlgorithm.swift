/// Where the schemes of JSON Web Algorithms differ.
public enum SignatureAlgorithm: Sendable {
    case es256, rs256

    func require(_ key: KeyHandle, _ operation: String) throws(CryptographyError) {
        switch self {
        case .es256: try key.requireP256(operation)
        case .rs256: try key.requireRSA(operation)
        }
    }

    func generateKey() throws(CryptographyError) -> KeyHandle {
        switch self {
        case .es256: try .generate()
        case .rs256: try .generateRSA()
        }
    }

    /// A signature as JSON Web Signatures have it, from OpenSSL's form.
    func written(_ signature: [UInt8]) throws(CryptographyError) -> [UInt8] {
        switch self {
        case .es256: try ES256Signature.raw(fromDER: signature)
        case .rs256: signature
        }
    }

    /// The other way; nil for what cannot be a signature.
    func read(_ signature: [UInt8]) -> [UInt8]? {
        switch self {
        case .es256: ES256Signature.der(fromRaw: signature)
        case .rs256: signature
        }
    }
}
