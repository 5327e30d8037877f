/// A signature algorithm as a type, so that a key of one scheme cannot be used with another.
package protocol SignatureScheme: Sendable {
    /// The algorithm as a value.
    static var algorithm: SignatureAlgorithm { get }
}

/// ECDSA on P-256 with SHA-256 (RFC 7518 §3.4), as in Apple's `.p8` files. A signature is `r || s`, always 64 bytes,
/// and differs each time.
package enum ES256: SignatureScheme {
    /// The algorithm as a value.
    package static let algorithm = SignatureAlgorithm.es256
}

/// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518 §3.3), with keys of at least 2048 bits, as in Google's service accounts.
/// A signature has as many bytes as the key's modulus, and is always the same.
package enum RS256: SignatureScheme {
    /// The algorithm as a value.
    package static let algorithm = SignatureAlgorithm.rs256
}

/// A private key of ES256.
package typealias ES256PrivateKey = SigningKey<ES256>
/// A public key of ES256.
package typealias ES256PublicKey = VerifyingKey<ES256>
/// A private key of RS256.
package typealias RS256PrivateKey = SigningKey<RS256>
/// A public key of RS256.
package typealias RS256PublicKey = VerifyingKey<RS256>

/// A signature algorithm of JSON Web Algorithms, for the parts that differ between them.
package enum SignatureAlgorithm: Sendable {
    /// ECDSA on P-256 with SHA-256, and RSASSA-PKCS1-v1_5 with SHA-256.
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

    /// Returns a signature in the form of JSON Web Signatures, from OpenSSL's form.
    func written(_ signature: [UInt8]) throws(CryptographyError) -> [UInt8] {
        switch self {
        case .es256: try ES256Signature.raw(fromDER: signature)
        case .rs256: signature
        }
    }

    /// Returns a signature in OpenSSL's form, from that of JSON Web Signatures; `nil` if it has the wrong length.
    func read(_ signature: [UInt8]) -> [UInt8]? {
        switch self {
        case .es256: ES256Signature.der(fromRaw: signature)
        case .rs256: signature
        }
    }
}
