import COpenSSL

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    /// The number of bytes in a digest.
    package static let byteCount = 32

    /// Returns the digest of the bytes: 32 bytes.
    @inlinable
    package static func digest(of bytes: some Collection<UInt8>) -> [UInt8] {
        withContiguousBytes(of: bytes) { digest(ofContiguous: $0) }
    }

    @usableFromInline
    static func digest(ofContiguous input: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { output, count in
            write(digestOf: input, to: output)
            count = byteCount
        }
    }

    /// Returns the digest of the text's UTF-8, as 64 lower-case hexadecimal digits.
    package static func hexadecimal(of text: String) -> String {
        withDigest(of: text.utf8) { Hexadecimal.lowercase($0) }
    }

    /// Calls the closure with the digest of the bytes: 32 bytes, not allocated on the heap.
    @inlinable
    package static func withDigest<Result>(
        of bytes: some Collection<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        withContiguousBytes(of: bytes) { input in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: byteCount) { digest in
                write(digestOf: input, to: digest)
                return body(UnsafeBufferPointer(digest))
            }
        }
    }

    @usableFromInline
    static func write(digestOf input: UnsafeBufferPointer<UInt8>, to output: UnsafeMutableBufferPointer<UInt8>) {
        var state = SHA256State()
        state.update(input)
        state.finish(to: output)
    }
}

extension SHA256 {
    /// The digest of bytes that come one after the other.
    package struct Hasher: Sendable {
        private var state = SHA256State()

        /// Creates the digest of no bytes.
        package init() {}

        /// Adds bytes.
        @inlinable
        package mutating func update(_ bytes: some Collection<UInt8>) {
            withContiguousBytes(of: bytes) { update(contiguous: $0) }
        }

        @usableFromInline
        mutating func update(contiguous bytes: UnsafeBufferPointer<UInt8>) { state.update(bytes) }

        /// The digest of the bytes so far, as 64 lower-case hexadecimal digits.
        package var hexadecimal: String { withDigest { Hexadecimal.lowercase($0) } }

        /// Calls the closure with the digest of the bytes so far: 32 bytes, not allocated on the heap.
        @inlinable
        package func withDigest<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: SHA256.byteCount) { digest in
                write(to: digest)
                return body(UnsafeBufferPointer(digest))
            }
        }

        @usableFromInline
        func write(to digest: UnsafeMutableBufferPointer<UInt8>) {
            var state = state
            state.finish(to: digest)
        }
    }
}

/// A SHA-256 computation in progress.
struct SHA256State {
    private var context = SHA256_CTX()

    init() { SHA256_Init(&context) }

    mutating func update(_ bytes: UnsafeBufferPointer<UInt8>) {
        SHA256_Update(&context, bytes.baseAddress, bytes.count)
    }

    /// Writes the digest, 32 bytes. The state must not be used after this.
    mutating func finish(to digest: UnsafeMutableBufferPointer<UInt8>) { SHA256_Final(digest.baseAddress, &context) }
}
