/// HMAC with SHA-256 (RFC 2104 over FIPS 180-4).
package enum HMACSHA256 {
    /// The number of bytes in an authentication code.
    package static let byteCount = SHA256.byteCount

    /// Returns the authentication code of a message: 32 bytes.
    ///
    /// - Parameter key: a secret, ideally 32 random bytes. A shorter key weakens the code; a longer one does not
    ///   strengthen it (RFC 2104 §3).
    package static func code(for message: some Collection<UInt8>, key: some Collection<UInt8>) -> [UInt8] {
        withContiguousBytes(of: key) { key in
            withContiguousBytes(of: message) { message in code(forContiguous: message, key: key) }
        }
    }

    /// Returns `true` if `code` is the message's authentication code under `key`, compared in constant time.
    ///
    /// A truncated code is not valid.
    package static func isValid(
        _ code: [UInt8], for message: some Collection<UInt8>, key: some Collection<UInt8>
    ) -> Bool {
        ConstantTime.equal(code, self.code(for: message, key: key))
    }

    /// Returns the code of bytes in memory. Generic code of another module is not specialized, and costs more than the
    /// digests.
    static func code(forBytes message: [UInt8], key: [UInt8]) -> [UInt8] {
        key.withUnsafeBufferPointer { key in
            message.withUnsafeBufferPointer { message in code(forContiguous: message, key: key) }
        }
    }

    private static func code(
        forContiguous message: UnsafeBufferPointer<UInt8>, key: UnsafeBufferPointer<UInt8>
    ) -> [UInt8] {
        guard key.count <= blockSize else {
            return SHA256.digest(ofContiguous: key).withUnsafeBufferPointer { code(forContiguous: message, key: $0) }
        }
        return [UInt8](unsafeUninitializedCapacity: byteCount) { output, count in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: byteCount) { inner in
                write(digestOf: message, behind: key, paddedBy: 0x36, to: inner)
                write(digestOf: UnsafeBufferPointer(inner), behind: key, paddedBy: 0x5C, to: output)
            }
            count = byteCount
        }
    }

    /// The number of bytes in a block of SHA-256.
    private static let blockSize = 64

    private static func write(
        digestOf bytes: UnsafeBufferPointer<UInt8>, behind key: UnsafeBufferPointer<UInt8>, paddedBy pad: UInt8,
        to output: UnsafeMutableBufferPointer<UInt8>
    ) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: blockSize) { block in
            for index in block.indices {
                block.initializeElement(at: index, to: (index < key.count ? key[index] : 0) ^ pad)
            }
            var state = SHA256State()
            state.update(UnsafeBufferPointer(block))
            state.update(bytes)
            state.finish(to: output)
        }
    }
}
