/// Parsing of strings and their escapes (RFC 8259 §7).
extension JSONParser {
    mutating func string() throws(JSONParsingError) -> String {
        position += 1
        let start = position
        position = bytes[start...].firstIndex(where: Self.endsPlainText) ?? bytes.count
        guard position < bytes.count else { throw error(.unexpectedEnd) }
        switch bytes[position] {
        case UInt8(ascii: "\""):
            defer { position += 1 }
            return try text(bytes[start..<position], from: start)
        case UInt8(ascii: "\\"): return try stringWithEscapes(from: start)
        default: throw error(.unexpectedByte)
        }
    }

    private static func endsPlainText(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private func text(_ bytes: some Collection<UInt8>, from start: Int) throws(JSONParsingError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw JSONParsingError(reason: .invalidUTF8, offset: start)
        }
        return text
    }

    private mutating func stringWithEscapes(from start: Int) throws(JSONParsingError) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(2 * (position - start) + 64)
        var plain = start
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                result.append(contentsOf: bytes[plain..<position])
                position += 1
                return try text(result, from: start)
            case UInt8(ascii: "\\"):
                result.append(contentsOf: bytes[plain..<position])
                position += 1
                if let scalar = UTF8.encode(try escape()) { result.append(contentsOf: scalar) }
                plain = position
            case 0..<0x20: throw error(.unexpectedByte)
            default: position += 1
            }
        }
        throw error(.unexpectedEnd)
    }

    /// Reads the scalar of an escape, after its backslash.
    private mutating func escape() throws(JSONParsingError) -> Unicode.Scalar {
        guard position < bytes.count else { throw error(.unexpectedEnd) }
        let letter = bytes[position]
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(letter)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape()
        default:
            position -= 1
            throw error(.invalidEscape)
        }
    }

    private mutating func unicodeEscape() throws(JSONParsingError) -> Unicode.Scalar {
        let first = try hexadecimalUnit()
        guard UTF16.isLeadSurrogate(first) else { return Unicode.Scalar(first) ?? "\u{FFFD}" }
        let afterFirst = position
        guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
            bytes[position + 1] == UInt8(ascii: "u")
        else { return "\u{FFFD}" }
        position += 2
        let second = try hexadecimalUnit()
        guard UTF16.isTrailSurrogate(second) else {
            position = afterFirst
            return "\u{FFFD}"
        }
        return UTF16.decode(UTF16.EncodedScalar([first, second]))
    }

    private mutating func hexadecimalUnit() throws(JSONParsingError) -> UInt16 {
        guard position + 4 <= bytes.count else { throw error(.unexpectedEnd) }
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(bytes[position])).hexDigitValue else {
                throw error(.invalidEscape)
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }
}
