import COpenSSL

/// Authenticated encryption by AES with keys of 128 bits in Galois/Counter Mode (NIST SP 800-38D), without additional
/// data.
package enum AES128GCM {
    /// The number of bytes in a key.
    package static let keyByteCount = 16
    /// The number of bytes in a nonce.
    package static let nonceByteCount = 12
    /// The number of bytes in a tag.
    package static let tagByteCount = 16

    /// Returns the encrypted bytes, followed by their tag. No nonce may be used twice with a key.
    package static func seal(
        _ plaintext: [UInt8], key: [UInt8], nonce: [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        let operation = "encrypt with AES-128-GCM"
        let length = try length(of: plaintext, key: key, nonce: nonce, operation)
        let context = try unwrapped(EVP_CIPHER_CTX_new(), operation)
        defer { EVP_CIPHER_CTX_free(context) }
        try check(EVP_EncryptInit_ex(context, CipherAlgorithm.aes128GCM.pointer, nil, key, nonce), operation)
        var sealed = [UInt8](repeating: 0, count: plaintext.count)
        var written: Int32 = 0
        if length > 0 { try check(EVP_EncryptUpdate(context, &sealed, &written, plaintext, length), operation) }
        // The mode is one of a stream cipher: the end writes nothing but the tag.
        var tag = [UInt8](repeating: 0, count: tagByteCount)
        try check(EVP_EncryptFinal_ex(context, &tag, &written), operation)
        try check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagByteCount), &tag), operation)
        return sealed + tag
    }

    /// Returns the bytes that were encrypted; `nil` if they and their tag were not made with this key and nonce.
    package static func open(
        _ sealed: [UInt8], key: [UInt8], nonce: [UInt8]
    ) throws(CryptographyError) -> [UInt8]? {
        let operation = "decrypt with AES-128-GCM"
        guard sealed.count >= tagByteCount else { return nil }
        let ciphertext = Array(sealed.dropLast(tagByteCount))
        var tag = Array(sealed.suffix(tagByteCount))
        let length = try length(of: ciphertext, key: key, nonce: nonce, operation)
        let context = try unwrapped(EVP_CIPHER_CTX_new(), operation)
        defer { EVP_CIPHER_CTX_free(context) }
        try check(EVP_DecryptInit_ex(context, CipherAlgorithm.aes128GCM.pointer, nil, key, nonce), operation)
        var plaintext = [UInt8](repeating: 0, count: ciphertext.count)
        var written: Int32 = 0
        if length > 0 { try check(EVP_DecryptUpdate(context, &plaintext, &written, ciphertext, length), operation) }
        try check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagByteCount), &tag), operation)
        var rest = [UInt8](repeating: 0, count: tagByteCount)
        guard EVP_DecryptFinal_ex(context, &rest, &written) == 1 else {
            ERR_clear_error()
            return nil
        }
        return plaintext
    }

    /// Returns the number of bytes in OpenSSL's type, after a check of all lengths.
    private static func length(
        of text: [UInt8], key: [UInt8], nonce: [UInt8], _ operation: String
    ) throws(CryptographyError) -> Int32 {
        guard key.count == keyByteCount, nonce.count == nonceByteCount, let length = Int32(exactly: text.count) else {
            throw CryptographyError(
                operation: operation,
                reason: "it takes a key of \(keyByteCount) bytes, a nonce of \(nonceByteCount), and less than 2 GiB")
        }
        return length
    }
}

/// A cipher from OpenSSL's providers, kept until the process exits.
private final class CipherAlgorithm: @unchecked Sendable {  // because an EVP_CIPHER is immutable once fetched
    static let aes128GCM = CipherAlgorithm("AES-128-GCM")

    let pointer: OpaquePointer?

    init(_ name: String) {
        pointer = EVP_CIPHER_fetch(nil, name, nil)
    }

    deinit {
        EVP_CIPHER_free(pointer)
    }
}
