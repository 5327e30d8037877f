internal import COpenSSL

/// Owns one OpenSSL key.
///
/// OpenSSL allows any number of threads to use an unchanging key at once, each with its own context
/// (`openssl-threads(7)`).
final class KeyHandle: @unchecked Sendable {  // because an EVP_PKEY is never changed after it was made here
    let pointer: OpaquePointer

    /// Takes ownership of `pointer`.
    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    /// A new P-256 key pair from OpenSSL's own random generator.
    static func generate() throws(CryptographyError) -> KeyHandle {
        KeyHandle(owning: try unwrapped(COpenSSL_generate_p256_key(), "generate a P-256 key"))
    }

    /// A new RSA key pair of 2048 bits from OpenSSL's own random generator.
    static func generateRSA() throws(CryptographyError) -> KeyHandle {
        let pointer = COpenSSL_generate_rsa_key(UInt32(minimumRSABits))
        return KeyHandle(owning: try unwrapped(pointer, "generate an RSA key"))
    }

    /// The public half alone, so that whoever holds it cannot reach the private one.
    func publicHalf() throws(CryptographyError) -> KeyHandle {
        let operation = "take the public half of a key"
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_PUBKEY(pointer, &encoded)
        defer { CRYPTO_free(encoded, nil, 0) }
        try check(count, operation)
        var cursor = UnsafePointer(encoded)
        return KeyHandle(owning: try unwrapped(d2i_PUBKEY(nil, &cursor, Int(count)), operation))
    }

    /// Throws unless this is an elliptic-curve key on P-256, the one curve of ES256 (RFC 7518 §3.4).
    func requireP256(_ operation: String) throws(CryptographyError) {
        guard EVP_PKEY_is_a(pointer, "EC") == 1 else {
            throw CryptographyError(
                operation: operation, reason: "it is \(typeName), not an elliptic-curve key on P-256")
        }
        guard groupName == "prime256v1" else {
            throw CryptographyError(operation: operation, reason: "its curve is \(groupName), not P-256 (prime256v1)")
        }
    }

    /// Throws unless this is an RSA key of 2048 bits at least, the shortest that RS256 allows (RFC 7518 §3.3).
    func requireRSA(_ operation: String) throws(CryptographyError) {
        guard EVP_PKEY_is_a(pointer, "RSA") == 1 else {
            throw CryptographyError(operation: operation, reason: "it is \(typeName), not an RSA key")
        }
        let bits = EVP_PKEY_get_bits(pointer)
        guard bits >= Self.minimumRSABits else {
            throw CryptographyError(
                operation: operation, reason: "it has \(bits) bits; RS256 wants \(Self.minimumRSABits) at least")
        }
    }

    private static let minimumRSABits: Int32 = 2_048

    private var typeName: String {
        guard let name = EVP_PKEY_get0_type_name(pointer) else { return "a key of unknown type" }
        return "a key of type \(String(cString: name))"
    }

    private var groupName: String {
        var name = [CChar](repeating: 0, count: 64)
        var count = 0
        guard EVP_PKEY_get_group_name(pointer, &name, name.count, &count) == 1 else { return "unknown" }
        return String(decoding: name.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
