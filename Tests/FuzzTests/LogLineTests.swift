import Fuzzing
import Testing

@Suite("Lines of a fuzzed gateway's log")
struct LogLineTests {
    private static let begin = "2026-11-28T10:41:06+0000 "

    @Test(
        "A line with a raw character that acts on a terminal is forged",
        arguments: ["\u{0}", "\u{1B}[31m", "\r", "\u{7F}", "\u{9B}31m", "\u{202E}", "\u{2028}", "\u{2066}"])
    func raw(text: String) { #expect(LogLine((Self.begin + "info pushgate: a=b\(text)c")[...]).isForged) }

    @Test("A line behind a raw end of a line, an empty one, and one that is not cut are forged")
    func outside() {
        #expect(LogLine("b [FirestoreAPI] refused"[...]).isForged && LogLine(""[...]).isForged)
        #expect(LogLine((Self.begin + String(repeating: "a", count: 20_000))[...]).isForged)
    }

    @Test(
        "A line with escapes, with letters of any language, or with a tab is not",
        arguments: [#"a\u0000\n\u001b"#, "é 😀 e\u{301}", "\t"])
    func honest(text: String) { #expect(!LogLine((Self.begin + "info pushgate: a=\(text)")[...]).isForged) }

    @Test("A line at error or critical is one of an error, and one that only contains the word is not")
    func errors() {
        #expect(LogLine((Self.begin + "error pushgate: a")[...]).isError)
        #expect(LogLine((Self.begin + "critical pushgate: a")[...]).isError)
        #expect(LogLine("Pushgate/Serve.swift:1: Fatal error: a"[...]).isError)
        let long = "info pushgate: path=/a/path/that/is/long/enough an error happened"
        #expect(!LogLine((Self.begin + long)[...]).isError)
    }

    @Test("The text for a report is without the time, and cannot act on a terminal")
    func summary() {
        #expect(LogLine((Self.begin + "info a\u{1B}b")[...]).summary == #" info a\u{1B}b"#)
    }
}
