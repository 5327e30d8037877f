import JSON
import Logging
import Synchronization
import Testing
import Texts

@testable import Gateway

@Suite("Log lines")
struct LogLineTests {
    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// A text as a client may send it: it begins another line, colours the terminal and turns the direction round.
    private static let hostile = "a\nb\r\n\u{1B}[31mc\u{202E}d\u{9B}e\\f\u{0}"
    private static let shown = #"a\nb\r\n\u001b[31mc\u202ed\u009be\\f\u0000"#

    private func line(
        _ message: Logger.Message, _ metadata: Logger.Metadata = [:], error: (any Error)? = nil
    ) -> String {
        let stream = CollectedStream()
        let logger = Logger(label: "test") { HumanLogHandler(label: $0, stream: stream) }
        logger.error(message, error: error, metadata: metadata)
        return stream.text
    }

    @Test("A text with control characters stays on its line, whatever part of the line it is")
    func escapes() {
        let lines = [
            line("\(Self.hostile)"), line("x", ["key": "\(Self.hostile)"]),
            line("x", ["key": .stringConvertible(Failure(description: Self.hostile))]),
            line("x", error: Failure(description: Self.hostile)),
        ]
        // Swift describes the texts in these with escapes of its own.
        let nested = [line("x", ["key": ["\(Self.hostile)"]]), line("x", ["key": ["inner": "\(Self.hostile)"]])]
        for line in lines { #expect(line.contains(Self.shown), "\(line)") }
        for line in lines + nested {
            #expect(line.utf8.count { $0 == UInt8(ascii: "\n") } == 1 && line.hasSuffix("\n"))
            #expect(!line.dropLast().unicodeScalars.contains { $0.properties.generalCategory == .control })
            #expect(!line.unicodeScalars.contains("\u{202E}"))
        }
    }

    @Test("Lines for a terminal keep their ends, tabs and backslashes, and JSON its meaning")
    func lines() throws {
        #expect(EscapedText.lines("a\tb\\c\nd\r\u{1B}[31m\u{202E}é") == "a\tb\\c\nd\\r\\u001b[31m\\u202eé")
        let value: JSONValue = ["\(Self.hostile)": ["x", .string(Self.hostile)]]
        for text in [value.text, value.prettyText].map(EscapedText.lines) {
            #expect(try JSONValue(parsing: text) == value)
            #expect(!text.unicodeScalars.contains { $0 != "\n" && $0.properties.generalCategory == .control })
        }
    }

    @Test("A text of one line is written as it is, in any script")
    func plain() {
        for text in ["failed to open a file", "größer", "東京 “x”", String(repeating: "a", count: LogText.longest)] {
            #expect(line("\(text)", ["key": "\(text)"]).contains("key=\(text) [GatewayTests] \(text)\n"))
        }
    }

    @Test("A long text is cut in both forms of the log, and its length is named")
    func length() {
        let text = String(repeating: "é", count: 100_000)
        for line in [line("\(text)"), line("x", ["key": "\(text)"]), line("x", error: Failure(description: text))] {
            #expect(line.contains("é… (200000 bytes)"))
            #expect(line.utf8.count < LogText.longest + 300)
        }
        let event = LogEvent(
            level: .info, message: "\(text)", metadata: ["key": "\(text)"], source: "test", file: "", function: "",
            line: 1)
        let object = JSONLogHandler(label: "test").object(of: event)
        for member in [object["message"], object["metadata"]?["key"]] {
            #expect(member?.string?.hasSuffix("é… (200000 bytes)") == true)
            #expect(member?.string?.utf8.count ?? 0 < LogText.longest + 30)
        }
    }

    @Test("A text is cut between two characters")
    func boundary() {
        for prefix in 0..<4 {
            let text = String(repeating: "a", count: prefix) + String(repeating: "🔔", count: 1_000)
            let cut = LogText.cut(text)
            #expect(cut.hasPrefix(String(repeating: "a", count: prefix) + "🔔") && cut.contains("🔔… ("))
            #expect(!cut.unicodeScalars.contains("\u{FFFD}"))
        }
    }
}

/// A stream that keeps what is written to it.
private final class CollectedStream: TextOutputStream, Sendable {
    private let written = Mutex("")

    var text: String { written.withLock(\.self) }

    func write(_ string: String) { written.withLock { $0 += string } }
}
