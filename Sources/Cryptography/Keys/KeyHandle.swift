import COpenSSL

/// An owner of one OpenSSL key.
///
/// Any number of threads may use an unchanging key at once in OpenSSL, each with its own context
/// (`openssl-threads(7)`).
final class KeyHandle: @unchecked Sendable {  // because an EVP_PKEY is never changed after it was made here
    let pointer: OpaquePointer

    /// Takes ownership of the pointer.
    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    /// Makes a new P-256 key pair with OpenSSL's random generator.
    static func generate() throws(CryptographyError) -> KeyHandle {
        KeyHandle(owning: try unwrapped(COpenSSL_generate_p256_key(), "generate a P-256 key"))
    }

    /// Makes a new RSA key pair of 2048 bits with OpenSSL's random generator.
    static func generateRSA() throws(CryptographyError) -> KeyHandle {
        let pointer = COpenSSL_generate_rsa_key(UInt32(minimumRSABits))
        return KeyHandle(owning: try unwrapped(pointer, "generate an RSA key"))
    }

    /// Returns the public half alone, from which the private half is not accessible.
    func publicHalf() throws(CryptographyError) -> KeyHandle {
        let operation = "take the public half of a key"
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_PUBKEY(pointer, &encoded)
        defer { CRYPTO_free(encoded, nil, 0) }
        try check(count, operation)
        var cursor = UnsafePointer(encoded)
        return KeyHandle(owning: try unwrapped(d2i_PUBKEY(nil, &cursor, Int(count)), operation))
    }

    /// Throws an error unless this is an elliptic-curve key on P-256, the only curve of ES256 (RFC 7518 §3.4).
    func requireP256(_ operation: String) throws(CryptographyError) {
        guard EVP_PKEY_is_a(pointer, "EC") == 1 else {
            throw CryptographyError(
                operation: operation, reason: "it is \(typeName), not an elliptic-curve key on P-256")
        }
        guard groupName == "prime256v1" else {
            throw CryptographyError(operation: operation, reason: "its curve is \(groupName), not P-256 (prime256v1)")
        }
    }

    /// Throws an error unless this is an RSA key of at least 2048 bits, the minimum of RS256 (RFC 7518 §3.3).
    func requireRSA(_ operation: String) throws(CryptographyError) {
        guard EVP_PKEY_is_a(pointer, "RSA") == 1 else {
            throw CryptographyError(operation: operation, reason: "it is \(typeName), not an RSA key")
        }
        let bits = EVP_PKEY_get_bits(pointer)
        guard bits >= Self.minimumRSABits else {
            throw CryptographyError(
                operation: operation, reason: "it has \(bits) bits; RS256 requires at least \(Self.minimumRSABits)")
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

/// Signatures over the SHA-256 of a message, in the scheme of the key's type: ECDSA for an elliptic-curve key, and
/// for an RSA key RSASSA-PKCS1-v1_5 (RFC 8017 §8.2), which is OpenSSL's default.
extension KeyHandle {
    /// Returns the signature of a message, in OpenSSL's form.
    func signature(for message: some Collection<UInt8>) throws(CryptographyError) -> [UInt8] {
        try withContiguousBytes(of: message) { buffer throws(CryptographyError) in
            try signature(forContiguous: buffer)
        }
    }

    private func signature(forContiguous message: UnsafeBufferPointer<UInt8>) throws(CryptographyError) -> [UInt8] {
        let operation = "sign"
        let context = try unwrapped(EVP_MD_CTX_new(), operation)
        defer { EVP_MD_CTX_free(context) }
        try check(EVP_DigestSignInit(context, nil, DigestAlgorithm.sha256.pointer, nil, pointer), operation)
        var count = 0
        try check(EVP_DigestSign(context, nil, &count, message.baseAddress, message.count), operation)
        var signature = [UInt8](repeating: 0, count: count)
        try check(EVP_DigestSign(context, &signature, &count, message.baseAddress, message.count), operation)
        return Array(signature.prefix(count))
    }

    /// Returns `true` if `signature`, in OpenSSL's form, was made for the message with this key's private half.
    func isValid(_ signature: [UInt8], for message: some Collection<UInt8>) -> Bool {
        withContiguousBytes(of: message) { isValid(signature, forContiguous: $0) }
    }

    private func isValid(_ signature: [UInt8], forContiguous message: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer {
            EVP_MD_CTX_free(context)
            // A rejected signature leaves errors in the queue, which the next failure on this thread would report.
            ERR_clear_error()
        }
        return EVP_DigestVerifyInit(context, nil, DigestAlgorithm.sha256.pointer, nil, pointer) == 1
            && EVP_DigestVerify(context, signature, signature.count, message.baseAddress, message.count) == 1
    }
}
