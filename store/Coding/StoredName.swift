/// The encoding of a path or an id in its column: `memcmp` on this text is Firestore's order, segment by segment.
///
/// The separator is U+0001 U+0001; U+0000 within an id is U+0001 U+0002, and U+0001 is U+0001 U+0003. A separator is
/// thus less than any continuation of an id, and no text contains U+0000, at which SQLite's C strings end.
package enum StoredName {
    package static let separator = "\u{1}\u{1}"
    /// The least text after all texts that begin with a separator.
    package static let afterSeparator = "\u{1}\u{2}"

    static func encode(_ path: Substring) -> String {
        let length = path.utf8.reduce(0) { $0 + (mark(for: $1) == nil ? 1 : 2) }
        guard length > path.utf8.count else { return String(path) }
        return String(unsafeUninitializedCapacity: length) { buffer in
            var position = 0
            for byte in path.utf8 {
                if let mark = mark(for: byte) {
                    buffer[position] = 1
                    buffer[position + 1] = mark
                    position += 2
                } else {
                    buffer[position] = byte
                    position += 1
                }
            }
            return position
        }
    }

    package static func encode(_ path: String) -> String { encode(path[...]) }

    /// Returns the byte that follows U+0001 in the encoding of a byte; `nil` for a byte that is not encoded.
    static func mark(for byte: UInt8) -> UInt8? {
        switch byte {
        case PathText.separator: 1
        case 0: 2
        case 1: 3
        default: nil
        }
    }

    package static func decode(_ name: String) -> String {
        guard name.utf8.contains(1) else { return name }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(name.utf8.count)
        var isEscaped = false
        for byte in name.utf8 {
            if isEscaped {
                bytes.append(byte <= 1 ? PathText.separator : byte == 2 ? 0 : 1)
                isEscaped = false
            } else if byte == 1 {
                isEscaped = true
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
