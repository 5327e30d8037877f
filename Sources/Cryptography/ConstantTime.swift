import COpenSSL

/// Comparison in a time that does not depend on the compared bytes.
package enum ConstantTime {
    /// Returns `true` if both arrays have the same bytes. The place of the first difference has no effect on the
    /// duration.
    ///
    /// The duration reveals only the lengths, so compare digests or secrets of fixed length.
    package static func equal(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0
    }
}
