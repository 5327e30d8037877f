/// A line of a gateway's log.
package struct LogLine: Sendable {
    /// The longest line, in bytes. The gateway cuts each text from outside.
    private static let longest = 20_000
    private let text: Substring

    /// Creates a line.
    ///
    /// - Parameter text: the line without its end.
    package init(_ text: Substring) { self.text = text }

    /// `true` for a line at the level `error` or above, and for the last words of a program that ends itself.
    package var isError: Bool {
        [" error ", " critical ", "Fatal error"].contains { text.prefix(60).contains($0) }
    }

    /// `true` if a text of a client acts on a terminal, begins a line of its own, or is not cut.
    package var isForged: Bool {
        text.utf8.count > Self.longest || !beginsWithTime || text.unicodeScalars.contains(where: Self.acts)
    }

    /// The text for a report, without the time.
    package var summary: String {
        let scalars = text.unicodeScalars.drop { $0 != " " }.prefix(400)
        return scalars.map { Self.acts($0) ? $0.escaped(asASCII: true) : String($0) }.joined()
    }

    /// `true` if the line begins with a year. What is behind the end of a line that a client has sent does not.
    private var beginsWithTime: Bool {
        let year = text.utf8.prefix(5)
        return year.count == 5 && year.last == UInt8(ascii: "-")
            && year.dropLast().allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }

    private static func acts(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control: scalar != "\t"
        case .lineSeparator, .paragraphSeparator: true
        // Embeddings, overrides and isolates.
        case .format: "\u{202A}"..."\u{202E}" ~= scalar || "\u{2066}"..."\u{2069}" ~= scalar
        default: false
        }
    }
}
