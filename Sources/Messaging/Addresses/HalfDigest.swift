import Cryptography

/// The first half of a SHA-256.
struct HalfDigest: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    init(of bytes: some Collection<UInt8>) {
        (high, low) = SHA256.withDigest(of: bytes) { (Self.number($0[0..<8]), Self.number($0[8..<16])) }
    }

    /// Takes the digest of all bytes that were added.
    init(_ digest: SHA256.Hasher) {
        (high, low) = digest.withDigest { (Self.number($0[0..<8]), Self.number($0[8..<16])) }
    }

    /// Reads a digest.
    ///
    /// - Parameter text: 32 hexadecimal digits, in the form of ``description``.
    init?(_ text: String) {
        guard text.utf8.count == 32, let high = UInt64(text.prefix(16), radix: 16),
            let low = UInt64(text.suffix(16), radix: 16)
        else { return nil }
        (self.high, self.low) = (high, low)
    }

    private static func number(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension HalfDigest: CustomStringConvertible {
    var description: String {
        String(unsafeUninitializedCapacity: 32) { text in
            for position in 0..<32 {
                let number = position < 16 ? high : low
                text[position] = Self.digits[Int(number >> UInt64(60 - position % 16 * 4) & 15)]
            }
            return 32
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)
}
