import JSON
import Texts

/// A scanner of JSON tokens, for a reader that knows which token must follow.
struct TokenScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var malformed: FieldsDecoder.Malformed { FieldsDecoder.Malformed(offset: position) }

    /// Returns the next byte that is not white space, without consuming it; `nil` at the end.
    mutating func next() -> UInt8? {
        while position < bytes.count {
            let byte = bytes[position]
            guard byte <= 0x20 else { return byte }
            position += 1
        }
        return nil
    }

    mutating func take(_ mark: Unicode.Scalar) -> Bool {
        guard next() == UInt8(ascii: mark) else { return false }
        position += 1
        return true
    }

    mutating func expect(_ mark: Unicode.Scalar) throws(FieldsDecoder.Malformed) {
        guard take(mark) else { throw malformed }
    }

    mutating func takeWord(_ word: StaticString) -> Bool {
        _ = next()
        guard bytes.count - position >= word.utf8CodeUnitCount else { return false }
        for index in 0..<word.utf8CodeUnitCount where bytes[position + index] != word.utf8Start[index] { return false }
        position += word.utf8CodeUnitCount
        return true
    }

    /// Consumes the name of a value's type, which its first two letters identify.
    mutating func takeKey() -> ValueKey? {
        guard take("\""), position + 1 < bytes.count,
            let key = ValueKey.beginning(with: bytes[position], bytes[position + 1]), takeWord(key.word), take("\"")
        else { return nil }
        return key
    }

    /// Parses the content of a string without escapes, directly from its bytes.
    mutating func plainString<Content>(
        _ parse: (UnsafeBufferPointer<UInt8>) -> Content?
    ) throws(FieldsDecoder.Malformed) -> Content? {
        try expect("\"")
        guard let length = bytes[position...].firstIndex(of: UInt8(ascii: "\"")).map({ $0 - position }) else {
            throw malformed
        }
        defer { position += length + 1 }
        return parse(UnsafeBufferPointer(rebasing: bytes[position..<position + length]))
    }

    mutating func string() throws(FieldsDecoder.Malformed) -> String {
        try expect("\"")
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") {
                return String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position - 1]), as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") { return try stringWithEscapes(from: start) }
        }
        throw malformed
    }

    /// Consumes an object. Only its strings and braces are read.
    mutating func skipObject() throws(FieldsDecoder.Malformed) {
        try expect("{")
        var depth = 1
        while depth > 0, position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: "\""): skipContent()
            default: break
            }
            position += 1
        }
        guard depth == 0 else { throw malformed }
    }

    /// Moves from a string's first quotation mark to its last.
    private mutating func skipContent() {
        position += 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
    }

    /// Escapes are rare, so the JSON parser reads a string that has one.
    private mutating func stringWithEscapes(from start: Int) throws(FieldsDecoder.Malformed) -> String {
        position = start - 1
        skipContent()
        position += 1
        guard position <= bytes.count,
            let text = try? JSONValue(parsing: UnsafeBufferPointer(rebasing: bytes[start - 1..<position]))
        else { throw malformed }
        return text.string ?? ""
    }

    mutating func number() throws(FieldsDecoder.Malformed) -> Double {
        _ = next()
        let start = position
        while position < bytes.count, Self.isPartOfNumber(bytes[position]) { position += 1 }
        guard let value = Double(String(decoding: bytes[start..<position], as: UTF8.self)) else { throw malformed }
        return value
    }

    private static func isPartOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "e"), UInt8(ascii: "E"): true
        default: byte.isASCIIDigit
        }
    }
}
