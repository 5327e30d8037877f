/// What a key is for, as a type: a key of one scheme cannot be used for the other.
public protocol SignatureScheme: Sendable {
    static var algorithm: SignatureAlgorithm { get }
}

/// ECDSA on P-256 with SHA-256 (RFC 7518 §3.4), with Apple's `.p8` files. A signature is `r || s`, always 64 bytes; each
/// time it is another, equally valid.
public enum ES256: SignatureScheme {
    public static let algorithm = SignatureAlgorithm.es256
}

/// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518 §3.3), with keys of 2048 bits or more, such as Google's service accounts have.
/// A signature has as many bytes as the key's modulus; each time it is the same.
public enum RS256: SignatureScheme {
    public static let algorithm = SignatureAlgorithm.rs256
}

public typealias ES256PrivateKey = SigningKey<ES256>
public typealias ES256PublicKey = VerifyingKey<ES256>
public typealias RS256PrivateKey = SigningKey<RS256>
public typealias RS256PublicKey = VerifyingKey<RS256>
