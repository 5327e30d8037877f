internal import COpenSSL

/// OpenSSL's stream over memory: how texts go in and out of it.
enum MemoryBIO {
    /// Lends `text` to `read`, which answers NULL when it fails.
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

    /// What `write` has written, as text; `write` answers 1 when all went well.
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
