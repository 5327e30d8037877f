/// The base64 of URLs and JSON web tokens (RFC 4648 §5), without padding.
package enum Base64URL {
    /// Returns the encoded bytes, without padding and line breaks.
    @inlinable
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        withContiguousBytes(of: bytes) { encode(contiguous: $0) }
    }

    @usableFromInline
    static func encode(contiguous bytes: UnsafeBufferPointer<UInt8>) -> String {
        String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { text in
            var length = 0
            var accumulator: UInt32 = 0
            var bits = 0
            for byte in bytes {
                accumulator = accumulator << 8 | UInt32(byte)
                bits += 8
                while bits >= 6 {
                    bits -= 6
                    text.initializeElement(at: length, to: alphabet[Int(accumulator >> UInt32(bits)) & 0x3F])
                    length += 1
                }
            }
            if bits > 0 {
                text.initializeElement(at: length, to: alphabet[Int(accumulator << UInt32(6 - bits)) & 0x3F])
                length += 1
            }
            return length
        }
    }

    /// Returns the decoded bytes; `nil` if the text is not the single canonical encoding of any bytes: another
    /// alphabet, padding, white space, an impossible length, or stray bits at the end (RFC 4648 §3.5).
    @inlinable
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        withContiguousBytes(of: text.utf8) { decode(contiguous: $0) }
    }

    @usableFromInline
    static func decode(contiguous text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var accumulator: UInt32 = 0
        var bits = 0
        for character in text {
            guard let value = value(of: character) else { return nil }
            accumulator = accumulator << 6 | UInt32(value)
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: accumulator >> UInt32(bits)))
        }
        let strayBits = accumulator & (1 << UInt32(bits) - 1)
        return strayBits == 0 ? bytes : nil
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
