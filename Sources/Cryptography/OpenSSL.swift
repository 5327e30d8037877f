import COpenSSL

/// OpenSSL's stream over memory, for texts as input and output.
enum MemoryBIO {
    /// Calls `read` with a stream of the text. A result of NULL means failure.
    static func reading(
        _ text: String, _ operation: String, _ read: (OpaquePointer) -> OpaquePointer?
    ) throws(CryptographyError) -> OpaquePointer {
        let bytes = Array(text.utf8)
        let result = bytes.withUnsafeBytes { buffer -> OpaquePointer? in
            guard let bio = BIO_new_mem_buf(buffer.baseAddress, Int32(clamping: buffer.count)) else { return nil }
            defer { BIO_free(bio) }
            return read(bio)
        }
        return try unwrapped(result, operation)
    }

    /// Returns the text that `write` writes to a stream. A result of 1 means success.
    static func writing(
        _ operation: String, _ write: (OpaquePointer) -> Int32
    ) throws(CryptographyError) -> String {
        let bio = try unwrapped(BIO_new(BIO_s_secmem()), operation)
        defer { BIO_free(bio) }
        try check(write(bio), operation)
        var contents: UnsafeMutablePointer<CChar>?
        let count = COpenSSL_memory_contents(bio, &contents)
        let buffer = UnsafeRawBufferPointer(start: contents, count: max(count, 0))
        return String(decoding: buffer, as: UTF8.self)
    }
}

/// A digest algorithm from OpenSSL's providers, kept until the process exits.
final class DigestAlgorithm: @unchecked Sendable {  // because an EVP_MD is immutable once fetched (EVP_MD_fetch(3))
    static let sha256 = DigestAlgorithm("SHA256")

    let pointer: OpaquePointer?

    init(_ name: String) {
        pointer = EVP_MD_fetch(nil, name, nil)
    }

    deinit {
        EVP_MD_free(pointer)
    }
}

/// The clean-up of libcrypto when the process exits. It frees tables while another thread may still release a key,
/// which can crash.
package enum LibraryCleanUp {
    /// Turns the clean-up off; the system takes back the memory.
    ///
    /// Call this before any other use of libcrypto, also by libcurl
    /// ([OPENSSL_init_crypto](https://docs.openssl.org/3.0/man3/OPENSSL_init_crypto/)).
    package static func disable() { OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) }
}
