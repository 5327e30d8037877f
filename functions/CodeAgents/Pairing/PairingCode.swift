import Cryptography

/// A code that pairs one device with an agent: 128 random bits.
///
/// It has 26 digits of [Crockford's base 32](https://www.crockford.com/base32.html), which has no letters that look
/// like a digit, because a user may have to type it.
package struct PairingCode: IssuedSecret {
    private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let byteCount = 16
    private static let digitCount = 26
    private static let groupLength = 5

    /// The digits, without hyphens.
    package let text: String

    /// Makes a new code.
    ///
    /// - Parameter bytes: Returns the given number of random bytes.
    init(_ bytes: (Int) -> [UInt8] = RandomBytes.generate) {
        var text: [UInt8] = []
        var (rest, bits) = (0, 0)
        for byte in bytes(Self.byteCount) {
            rest = rest << 8 | Int(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(Self.digits[rest >> bits])
                rest &= (1 << bits) - 1
            }
        }
        // The last three bits, with two zeros behind them.
        text.append(Self.digits[rest << (5 - bits)])
        self.text = String(decoding: text, as: UTF8.self)
    }

    /// Reads a code as a user types it: in any case, with hyphens and spaces, and with letters in place of the digits
    /// that look like them. Returns `nil` for any other text.
    package init?(_ text: String) {
        var digits: [UInt8] = []
        for character in text.uppercased().utf8 {
            switch character {
            case UInt8(ascii: "-"), UInt8(ascii: " "): continue
            case UInt8(ascii: "O"): digits.append(UInt8(ascii: "0"))
            case UInt8(ascii: "I"), UInt8(ascii: "L"): digits.append(UInt8(ascii: "1"))
            default: digits.append(character)
            }
        }
        guard digits.count == Self.digitCount, digits.allSatisfy(Self.digits.contains) else { return nil }
        self.text = String(decoding: digits, as: UTF8.self)
    }

    /// The digits in groups with hyphens between them, for people.
    package var grouped: String {
        let digits = Array(text)
        return stride(from: 0, to: digits.count, by: Self.groupLength)
            .map { String(digits[$0..<min($0 + Self.groupLength, digits.count)]) }.joined(separator: "-")
    }
}
