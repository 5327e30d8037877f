/// Text from outside, for a log or a terminal. It cannot act on a terminal, nor change the direction of what follows.
package enum EscapedText {
    /// Returns a text that stays within its line: with the escapes of JSON for backslashes and control characters, and
    /// for those that change the direction or the line of what follows.
    package static func line(_ text: String) -> String { escaped(text, where: mustBeEscaped) }

    /// Returns lines with the escapes of ``line(_:)``, except for backslashes, tabs and the ends of the lines. JSON
    /// keeps its meaning: outside of its strings it has no other of these characters.
    package static func lines(_ text: String) -> String {
        escaped(text) { mustBeEscaped($0) && $0 != "\\" && $0 != "\t" && $0 != "\n" }
    }

    private static func escaped(_ text: String, where mustBeEscaped: (Unicode.Scalar) -> Bool) -> String {
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
