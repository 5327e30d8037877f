/// The stored spelling of the two characters for which SQLite's `json_extract` needs an escape: it ends a text at
/// U+0000. U+0001 escapes both, in a way that keeps the order of bytes, so that indexes and comparisons stay exact:
/// U+0000 is U+0001 U+0002, and U+0001 is U+0001 U+0003. All other strings are stored as they are on the wire.
enum StoredString {
    static func escape(_ string: String) -> String {
        guard needsEscape(string) else { return string }
        var scalars = String.UnicodeScalarView()
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\u{0}": scalars.append(contentsOf: ["\u{1}", "\u{2}"])
            case "\u{1}": scalars.append(contentsOf: ["\u{1}", "\u{3}"])
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }

    static func unescape(_ string: String) -> String {
        guard string.utf8.contains(1) else { return string }
        var scalars = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in string.unicodeScalars {
            if isEscaped {
                scalars.append(scalar == "\u{2}" ? "\u{0}" : "\u{1}")
                isEscaped = false
            } else if scalar == "\u{1}" {
                isEscaped = true
            } else {
                scalars.append(scalar)
            }
        }
        return String(scalars)
    }

    private static func needsEscape(_ string: String) -> Bool {
        string.utf8.withContiguousStorageIfAvailable { $0.reduce(UInt8.max, min) < 2 } ?? true
    }
}
