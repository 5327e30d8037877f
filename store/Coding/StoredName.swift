/// The encoding of a path or an id in its column: `memcmp` on this text is Firestore's order, segment by segment.
///
/// U+0001 and a mark stand for what the text itself would put in another place: the separator (mark U+0001), a numeric
/// id (U+0002, and 16 digits after it), and within an id U+0000 (U+0003) and U+0001 (U+0005). So a separator is less
/// than any continuation of an id, a numeric id less than any other id, and no text contains U+0000, at which SQLite's
/// C strings end. The mark U+0004 is PostgreSQL's, for digests in place of names.
package enum StoredName {
    package static let separator = "\u{1}\u{1}"
    /// The least text after all texts that begin with a separator.
    package static let afterSeparator = "\u{1}\u{2}"

    /// The byte before each mark.
    private static let escape: UInt8 = 1

    private enum Mark {
        static let (separator, number, null, escape): (UInt8, UInt8, UInt8, UInt8) = (1, 2, 3, 5)
    }

    /// The hexadecimal digits of a numeric id, whose sum with 2^63 they write.
    private static let digits = 16

    /// Returns the mark of a byte; `nil` for a byte that stands for itself.
    private static func mark(for byte: UInt8) -> UInt8? {
        switch byte {
        case PathText.separator: Mark.separator
        case 0: Mark.null
        case escape: Mark.escape
        default: nil
        }
    }
}

extension StoredName {
    package static func encode(_ path: String) -> String {
        guard path.utf8.contains(where: { mark(for: $0) != nil }) || NumericID.number(in: path.utf8) != nil else {
            return path
        }
        var path = path
        return path.withUTF8 { path in
            String(unsafeUninitializedCapacity: size(of: path)) { bytes in
                write(path, to: bytes) { _, _ in }
            }
        }
    }

    /// Returns the number of bytes of an encoded path.
    static func size(of path: UnsafeBufferPointer<UInt8>) -> Int {
        PathSegments(path).reduce(-separator.utf8.count) { $0 + separator.utf8.count + size(of: $1) }
    }

    private static func size(of segment: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
        guard NumericID.number(in: segment) == nil else { return 2 + digits }
        return segment.reduce(0) { $0 + (mark(for: $1) == nil ? 1 : 2) }
    }

    /// Encodes a path.
    ///
    /// - Parameters:
    ///   - bytes: the memory for the encoded path, of its size.
    ///   - separated: called for each separator, with the place of its first byte, and the one after its last.
    /// - Returns: the number of bytes.
    static func write(
        _ path: UnsafeBufferPointer<UInt8>, to bytes: UnsafeMutableBufferPointer<UInt8>,
        _ separated: (_ end: Int, _ start: Int) -> Void
    ) -> Int {
        var writer = Writer(bytes: bytes)
        var isFirst = true
        for segment in PathSegments(path) {
            if !isFirst {
                writer.append(escape, Mark.separator)
                separated(writer.count - 2, writer.count)
            }
            isFirst = false
            writer.append(segment)
        }
        return writer.count
    }

    private struct Writer {
        let bytes: UnsafeMutableBufferPointer<UInt8>
        var count = 0

        mutating func append(_ segment: Slice<UnsafeBufferPointer<UInt8>>) {
            if let number = NumericID.number(in: segment) { return append(number) }
            for byte in segment {
                if let mark = mark(for: byte) { append(escape, mark) } else { append(byte) }
            }
        }

        private mutating func append(_ number: Int64) {
            append(escape, Mark.number)
            let bits = StoredName.bits(of: number)
            for place in (0..<digits).reversed() { append(hexadecimal(bits >> (4 * place) & 0xF)) }
        }

        mutating func append(_ first: UInt8, _ second: UInt8) {
            append(first)
            append(second)
        }

        private mutating func append(_ byte: UInt8) {
            bytes[count] = byte
            count += 1
        }
    }

    /// Returns bits that have the order of numbers.
    private static func bits(of number: Int64) -> UInt64 { UInt64(bitPattern: number) ^ 1 << 63 }

    private static func hexadecimal(_ digit: UInt64) -> UInt8 {
        UInt8(truncatingIfNeeded: digit) + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
    }
}

extension StoredName {
    package static func decode(_ name: String) -> String {
        guard name.utf8.contains(escape) else { return name }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(name.utf8.count)
        var rest = name.utf8.makeIterator()
        while let byte = rest.next() {
            guard byte == escape else {
                bytes.append(byte)
                continue
            }
            switch rest.next() {
            case Mark.number: bytes += NumericID.text(of: number(&rest)).utf8
            case Mark.null: bytes.append(0)
            case Mark.escape: bytes.append(escape)
            default: bytes.append(PathText.separator)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Takes the digits of a numeric id.
    private static func number(_ rest: inout some IteratorProtocol<UInt8>) -> Int64 {
        var bits: UInt64 = 0
        for _ in 0..<digits {
            guard let digit = rest.next() else { break }
            let value = digit <= UInt8(ascii: "9") ? digit &- UInt8(ascii: "0") : digit &- UInt8(ascii: "a") &+ 10
            bits = bits << 4 | UInt64(value & 0xF)
        }
        return Int64(bitPattern: bits ^ 1 << 63)
    }
}
