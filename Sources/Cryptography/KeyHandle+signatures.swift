internal import COpenSSL

/// Signatures over the SHA-256 of a message, in the scheme of the key's own type: ECDSA for an elliptic-curve key,
/// RSASSA-PKCS1-v1_5 (RFC 8017 §8.2), which is OpenSSL's default, for an RSA key.
extension KeyHandle {
    /// Signs `message`; the result is as OpenSSL writes it.
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

    /// Whether `signature`, in OpenSSL's form, was made for `message` by this key's private half.
    func isValid(_ signature: [UInt8], for message: some Collection<UInt8>) -> Bool {
        withContiguousBytes(of: message) { isValid(signature, forContiguous: $0) }
    }

    private func isValid(_ signature: [UInt8], forContiguous message: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer {
            EVP_MD_CTX_free(context)
            // A refused signature leaves its reasons behind, and the next failure on this thread would report them.
            ERR_clear_error()
        }
        return EVP_DigestVerifyInit(context, nil, DigestAlgorithm.sha256.pointer, nil, pointer) == 1
            && EVP_DigestVerify(context, signature, signature.count, message.baseAddress, message.count) == 1
    }
}
