extension JSONValue {
    /// This value as compact JSON in UTF-8, in which only those characters are escaped that must be (RFC 8259 §7).
    public var serialized: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(expectedBytes)
        write(to: &bytes)
        return bytes
    }

    /// The approximate number of bytes of this value as compact JSON, with space for some escapes.
    package var expectedBytes: Int {
        switch self {
        case .null, .bool: 5
        case .integer, .double: 20
        case .string(let value): Self.expectedBytes(ofString: value)
        case .array(let elements): elements.reduce(2) { $0 + $1.expectedBytes + 1 }
        case .object(let object): object.members.reduce(2) { $0 + $1.name.utf8.count + $1.value.expectedBytes + 4 }
        }
    }

    /// This value as compact JSON text.
    public var text: String { String(decoding: serialized, as: UTF8.self) }

    /// This value as JSON on several lines, indented by two spaces, for people.
    public var prettyText: String {
        var bytes: [UInt8] = []
        write(to: &bytes, indentation: 0)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends this value as JSON. Doubles that JSON cannot represent (NaN, the infinities) become `null`.
    ///
    /// - Parameter indentation: the depth of the indentation in steps of two spaces, or `nil` for compact JSON.
    public func write(to bytes: inout [UInt8], indentation: Int? = nil) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): bytes.append(contentsOf: String(value).utf8)
        case .double(let value): bytes.append(contentsOf: (value.isFinite ? value.description : "null").utf8)
        case .string(let value): Self.writeString(value, to: &bytes)
        case .array(let elements):
            Self.writeSequence(elements, "[", "]", to: &bytes, indentation: indentation) { element, bytes, inner in
                element.write(to: &bytes, indentation: inner)
            }
        case .object(let object):
            Self.writeSequence(object.members, "{", "}", to: &bytes, indentation: indentation) { member, bytes, inner in
                Self.writeString(member.name, to: &bytes)
                bytes.append(contentsOf: (inner == nil ? ":" : ": ").utf8)
                member.value.write(to: &bytes, indentation: inner)
            }
        }
    }

    private static func writeSequence<Element>(
        _ elements: [Element], _ opening: Unicode.Scalar, _ closing: Unicode.Scalar, to bytes: inout [UInt8],
        indentation: Int?, write: (Element, inout [UInt8], Int?) -> Void
    ) {
        let inner = indentation.map { $0 + 1 }
        bytes.append(UInt8(ascii: opening))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            newLine(inner, to: &bytes)
            write(element, &bytes, inner)
        }
        if !elements.isEmpty { newLine(indentation, to: &bytes) }
        bytes.append(UInt8(ascii: closing))
    }

    private static func newLine(_ indentation: Int?, to bytes: inout [UInt8]) {
        guard let indentation else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indentation * 2))
    }

    /// Appends a string in quotes, with escapes for quotes, backslashes and control characters.
    public static func writeString(_ string: String, to bytes: inout [UInt8]) {
        var string = string
        bytes.append(UInt8(ascii: "\""))
        string.withUTF8 { text in
            let escapes = escapes(in: text)
            if escapes == 0 {
                bytes.append(contentsOf: text)
            } else {
                append(text, escapes: escapes, to: &bytes)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Returns the number of bytes of a string in quotes, or a greater one, if it contains no control characters but
    /// those with short escapes.
    package static func expectedBytes(ofString string: String) -> Int {
        var string = string
        return string.withUTF8 { $0.count + escapes(in: $0) + 2 }
    }

    /// Returns the number of bytes that must be escaped, or a greater number if there are any: the search takes eight
    /// bytes at a time, and a byte after one that must be escaped may be counted too.
    private static func escapes(in text: UnsafeBufferPointer<UInt8>) -> Int {
        let memory = UnsafeRawBufferPointer(text)
        var (count, index) = (0, 0)
        while index + 8 <= memory.count {
            count += marks(in: memory.loadUnaligned(fromByteOffset: index, as: UInt64.self)).nonzeroBitCount
            index += 8
        }
        while index < memory.count {
            if mustBeEscaped(memory[index]) { count += 1 }
            index += 1
        }
        return count
    }

    /// Sets the highest bit of each byte that must be escaped. A byte after one of these may be marked too.
    private static func marks(in bytes: UInt64) -> UInt64 {
        let quotes = bytes ^ (UInt64(UInt8(ascii: "\"")) * eachByte)
        let backslashes = bytes ^ (UInt64(UInt8(ascii: "\\")) * eachByte)
        // The subtraction sets a byte's highest bit if it borrows, unless the bit was set before.
        let marks =
            ((bytes &- 0x20 * eachByte) & ~bytes) | ((quotes &- eachByte) & ~quotes)
            | ((backslashes &- eachByte) & ~backslashes)
        return marks & (0x80 * eachByte)
    }

    private static let eachByte: UInt64 = 0x0101_0101_0101_0101

    private static func append(_ text: UnsafeBufferPointer<UInt8>, escapes: Int, to bytes: inout [UInt8]) {
        let memory = UnsafeRawBufferPointer(text)
        let mostBytes = memory.count + (longestEscape - 1) * escapes
        withUnsafeTemporaryAllocation(byteCount: min(mostBytes, mostOnStack), alignment: 1) { escaped in
            let isInPieces = escaped.count < mostBytes
            var (count, index) = (0, 0)
            while index < memory.count {
                if isInPieces, count + 8 * longestEscape > escaped.count {
                    bytes.append(contentsOf: escaped[..<count])
                    count = 0
                }
                let end = min(index + 8, memory.count)
                if end - index == 8 {
                    let word = memory.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                    if marks(in: word) == 0 {
                        escaped.storeBytes(of: word, toByteOffset: count, as: UInt64.self)
                        (count, index) = (count + 8, end)
                        continue
                    }
                }
                while index < end {
                    count += write(memory[index], to: UnsafeMutableRawBufferPointer(rebasing: escaped[count...]))
                    index += 1
                }
            }
            bytes.append(contentsOf: escaped[..<count])
        }
    }

    /// The number of bytes of the longest escape, which takes the place of one byte.
    private static let longestEscape = 6
    /// The size up to which temporary memory is on the stack. A longer text is escaped in pieces.
    private static let mostOnStack = 1_024

    /// Writes a byte, with an escape if it needs one.
    ///
    /// - Returns: the number of bytes written.
    private static func write(_ byte: UInt8, to memory: UnsafeMutableRawBufferPointer) -> Int {
        if mustBeEscaped(byte) { return write(escapeOf: byte, to: memory) }
        memory[0] = byte
        return 1
    }

    private static func mustBeEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Writes the escape of a byte.
    ///
    /// - Returns: the number of bytes written.
    private static func write(escapeOf byte: UInt8, to escape: UnsafeMutableRawBufferPointer) -> Int {
        escape[0] = UInt8(ascii: "\\")
        switch byte {
        case 0x0A: escape[1] = UInt8(ascii: "n")
        case 0x0D: escape[1] = UInt8(ascii: "r")
        case 0x09: escape[1] = UInt8(ascii: "t")
        case 0..<0x20:
            escape[1] = UInt8(ascii: "u")
            escape[2] = UInt8(ascii: "0")
            escape[3] = UInt8(ascii: "0")
            escape[4] = byte < 16 ? UInt8(ascii: "0") : UInt8(ascii: "1")
            escape[5] = hexadecimalDigits[Int(byte & 15)]
            return 6
        default: escape[1] = byte
        }
        return 2
    }

    private static let hexadecimalDigits = Array("0123456789abcdef".utf8)
}
