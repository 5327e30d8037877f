import Cryptography

/// The first half of a token's SHA-256, which identifies a token but cannot be used to send.
struct TokenDigest: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    init(_ token: RegistrationToken) {
        (high, low) = SHA256.withDigest(of: token.canonical.value.utf8) { digest in
            (Self.number(digest[0..<8]), Self.number(digest[8..<16]))
        }
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

extension TokenDigest: CustomStringConvertible {
    var description: String { Self.digits(high) + Self.digits(low) }

    private static func digits(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
