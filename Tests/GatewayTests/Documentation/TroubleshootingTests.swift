import Foundation
import Testing

/// docs/troubleshooting.md and the log texts of the code, which must not drift apart.
@Suite("Troubleshooting page", .timeLimit(.minutes(10)))
struct TroubleshootingTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardized

    /// The code of the gateway and its libraries, with literals that continue on the next line joined.
    private static func code() throws -> [String] {
        try ["Sources", "functions", "store"].flatMap { folder in
            let url = root.appending(path: folder)
            return try FileManager.default.subpathsOfDirectory(atPath: url.path).filter { $0.hasSuffix(".swift") }.map {
                try String(contentsOf: url.appending(path: $0), encoding: .utf8)
                    .replacing(/"\s*\n?\s*\+\s*"/, with: "").replacing(/\\\n\s*/, with: "")
            }
        }
    }

    private static func page() throws -> String {
        try String(contentsOf: root.appending(path: "docs/troubleshooting.md"), encoding: .utf8)
    }

    /// The texts in the table of log messages, each up to its first placeholder.
    private static func documented() throws -> [String] {
        let table = try page().split(separator: "| message | level | meaning |").last ?? ""
        return table.split(separator: "\n").filter { $0.hasPrefix("| `") }.flatMap { row in
            row.split(separator: " | ")[0].matches(of: /`([^`]+)`/).map { plain($0.1) }
        }
    }

    /// Returns the text up to its first placeholder or interpolation, without the white space around it.
    private static func plain(_ text: Substring) -> String {
        let end = [text.firstRange(of: "…")?.lowerBound, text.firstRange(of: #"\("#)?.lowerBound].compactMap(\.self)
            .min()
        return text[..<(end ?? text.endIndex)].trimmingCharacters(in: .whitespaces)
    }

    @Test("Every warning and error of the log has a row on the page")
    func everyMessageHasARow() throws {
        let documented = try Self.documented().filter { $0.count > 6 }
        let messages = try Self.code().flatMap { file in
            file.matches(of: /[lL]ogger\.(?:warning|error)\(\s*"((?:[^"\\]|\\.)+)"/).map { Self.plain($0.1) }
        }.filter { !$0.isEmpty }
        #expect(messages.count > 30)
        #expect(messages.filter { message in !documented.contains { message.hasPrefix($0) } } == [])
    }

    @Test("Every message on the page is in the code")
    func everyRowHasAMessage() throws {
        let code = try Self.code().joined(separator: "\n")
        let documented = try Self.documented().filter { $0.count > 6 }
        #expect(documented.count > 40)
        #expect(documented.filter { !code.contains($0) } == [])
    }
}
