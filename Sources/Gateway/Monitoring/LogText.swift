/// The form of a text in a line of the log. Clients choose some of them, such as the names of databases: none may begin
/// another line, act on a terminal, or fill the disk.
enum LogText {
    /// The greatest number of bytes of a text.
    static let longest = 2_000

    /// Returns the beginning of a long text, with the length of the whole.
    static func cut(_ text: String) -> String {
        let count = text.utf8.count
        guard count > longest else { return text }
        let end = text.utf8.index(text.startIndex, offsetBy: longest)
        return "\(Substring(text.unicodeScalars[..<end]))… (\(count) bytes)"
    }

    /// Returns a cut text with the escapes of JSON for backslashes and control characters, and for those that change the
    /// direction or the line of what follows.
    static func escaped(_ text: String) -> String {
        let text = cut(text)
        guard text.unicodeScalars.contains(where: mustBeEscaped) else { return text }
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if mustBeEscaped(scalar) {
                escaped.append(contentsOf: escape(scalar).unicodeScalars)
            } else {
                escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    private static func mustBeEscaped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\u{0}"..."\u{1F}", "\\", "\u{7F}"..."\u{9F}": true
        // Marks of direction, separators of lines and paragraphs, embeddings, overrides and isolates.
        case "\u{61C}", "\u{200E}", "\u{200F}", "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}": true
        default: false
        }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\\": #"\\"#
        case "\n": #"\n"#
        case "\r": #"\r"#
        case "\t": #"\t"#
        default: #"\u"# + String(repeating: "0", count: 4 - digits(scalar).count) + digits(scalar)
        }
    }

    private static func digits(_ scalar: Unicode.Scalar) -> String { String(scalar.value, radix: 16) }
}
