import Texts

/// UUIDs in the form of an `apns-id`: 32 lower-case hexadecimal digits in groups of 8-4-4-4-12.
///
/// Apple's server also accepts upper-case digits; its documentation requires lower case, and so does the simulator.
enum UUIDText {
    private static let digits = StaticString("0123456789abcdef")

    static func isCanonical(_ text: String) -> Bool {
        let bytes = text.utf8
        guard bytes.count == 36 else { return false }
        return bytes.enumerated().allSatisfy { offset, byte in
            isHyphen(at: offset) ? byte == UInt8(ascii: "-") : byte.isASCIILowercaseHexDigit
        }
    }

    /// Returns a random UUID of version 4 (RFC 9562 §5.4).
    @Sendable
    static func random() -> String {
        let high = UInt64.random(in: .min ... .max) & ~0xF000 | 0x4000
        let low = UInt64.random(in: .min ... .max) & ~(0b11 << 62) | 0b10 << 62
        return text(high: high, low: low)
    }

    static func text(high: UInt64, low: UInt64) -> String {
        String(unsafeUninitializedCapacity: 36) { buffer in
            var nibble = 0
            for offset in 0..<36 {
                if isHyphen(at: offset) {
                    buffer[offset] = UInt8(ascii: "-")
                } else {
                    let half = nibble < 16 ? high : low
                    buffer[offset] = digits.utf8Start[Int(half >> UInt64(60 - 4 * (nibble & 15)) & 15)]
                    nibble += 1
                }
            }
            return 36
        }
    }

    private static func isHyphen(at offset: Int) -> Bool {
        offset == 8 || offset == 13 || offset == 18 || offset == 23
    }
}
