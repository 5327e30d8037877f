internal import COpenSSL

/// Comparison whose duration tells nothing about what was compared.
public enum ConstantTime {
    /// Whether `a` and `b` are the same bytes; takes as long when the first byte differs as when the last does.
    ///
    /// Only the lengths can be learnt from the time it takes: compare digests or secrets of fixed length.
    public static func equal(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0
    }
}
