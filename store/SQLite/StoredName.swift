/// A path or an id as its column has it: `memcmp` on this text is Firestore's order, segment by segment.
///
/// The separator is U+0001 U+0001, U+0000 within an id is U+0001 U+0002 and U+0001 is U+0001 U+0003. So a separator is
/// less than whatever an id could go on with, and no text has the U+0000 at which SQLite's C strings end.
enum StoredName {
    static let separator = "\u{1}\u{1}"
    /// The least text that follows all that begin with a separator.
    static let afterSeparator = "\u{1}\u{2}"

    static func encode(_ path: String) -> String {
        guard path.utf8.contains(where: { $0 < 2 || $0 == PathText.separator }) else { return path }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(path.utf8.count + 16)
        for byte in path.utf8 {
            switch byte {
            case PathText.separator: bytes += [1, 1]
            case 0: bytes += [1, 2]
            case 1: bytes += [1, 3]
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func decode(_ name: String) -> String {
        guard name.utf8.contains(1) else { return name }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(name.utf8.count)
        var isEscaped = false
        for byte in name.utf8 {
            if isEscaped {
                bytes.append([PathText.separator, 0, 1][Int(min(max(byte, 1), 3)) - 1])
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
