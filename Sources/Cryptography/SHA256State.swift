internal import COpenSSL

/// A SHA-256 that is under way.
struct SHA256State {
    private var context = SHA256_CTX()

    init() { SHA256_Init(&context) }

    mutating func update(_ bytes: UnsafeBufferPointer<UInt8>) {
        SHA256_Update(&context, bytes.baseAddress, bytes.count)
    }

    /// Writes the digest: 32 bytes.
    mutating func finish(to digest: UnsafeMutableBufferPointer<UInt8>) { SHA256_Final(digest.baseAddress, &context) }
}
