import TestDoubles
import Testing

@testable import Functions

@Suite("Shortening texts")
struct ShorteningTests {
    @Test(
        "Shortening by bytes keeps whole scalars and adds nothing",
        arguments: [
            ("", 0, ""), ("abc", 3, "abc"), ("abc", 2, "ab"), ("aé", 2, "a"), ("aé", 3, "aé"), ("👍🏽", 7, "👍"),
            ("👍", 3, ""),
        ])
    func bytes(text: String, limit: Int, kept: String) {
        #expect(text.prefix(utf8Bytes: limit) == kept)
    }

    @Test(
        "Shortening by UTF-16 units makes one line and ends a longer text with an ellipsis",
        arguments: [
            ("", 3, ""), (" a \n b\t", 3, "a b"), ("abcd", 3, "ab…"), ("a cd", 3, "a…"), ("a👍👍", 4, "a👍…"),
            ("👍👍", 4, "👍👍"),
        ])
    func units(text: String, limit: Int, kept: String) {
        #expect(text.shortened(to: limit) == kept)
    }

    /// The blanks by another description: white space of Unicode without U+0085, and the byte order mark.
    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace && scalar != "\u{85}" || scalar == "\u{FEFF}"
    }

    @Test("A blank is a white space of Unicode without U+0085, or the byte order mark")
    func blanks() {
        for value in UInt32(0)...0x1_FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            #expect(scalar.isBlank == Self.isBlank(scalar))
        }
    }

    @Test("Shortening replaces any run of blanks by one space", arguments: [UInt64(1), 2, 3, 4])
    func lines(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let alphabet: [Unicode.Scalar] = [
            "a", "é", "\u{301}", "😀", "\u{200D}", " ", " ", "\n", "\t", "\u{B}", "\r", "\u{85}", "\u{A0}", "\u{2028}",
            "\u{3000}", "\u{FEFF}", "\u{1F}", "\u{7F}",
        ]
        for _ in 0..<500 {
            let scalars = (0..<Int.random(in: 0...12, using: &generator)).compactMap { _ in
                alphabet.randomElement(using: &generator)
            }
            let text = String(String.UnicodeScalarView(scalars))
            let words = scalars.split(whereSeparator: Self.isBlank)
            let line = words.map { String(String.UnicodeScalarView($0)) }.joined(separator: " ")
            #expect(Array(text.shortened(to: 1_000).utf8) == Array(line.utf8))
            #expect(text.shortened(to: 5).utf16.count <= 5)
            let first = scalars.firstIndex { !Self.isBlank($0) } ?? scalars.endIndex
            let last = scalars.lastIndex { !Self.isBlank($0) } ?? first - 1
            let trimmed = String(String.UnicodeScalarView(scalars[first..<last + 1]))
            #expect(Array(text.trimmingWhitespace().utf8) == Array(trimmed.utf8))
        }
    }
}
