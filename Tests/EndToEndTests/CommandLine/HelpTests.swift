import Foundation
import TestSupport
import Testing

@Suite("--help of all verbs", .timeLimit(.minutes(10)))
struct HelpTests {
    /// The output of a verb's `--help`.
    private struct Page {
        let verb: [String]
        let text: String
        private let lines: [Substring]

        init(of verb: [String]) async throws {
            self.verb = verb
            let finished = try await PushgateProgram.run(verb + ["--help"])
            #expect(finished.exitCode == 0 && finished.errors == "")
            text = finished.output
            lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        }

        /// The verbs below this verb.
        var verbs: [[String]] {
            var verbs: [[String]] = []
            var isList = false
            for line in lines {
                if line.hasSuffix("SUBCOMMANDS:") { isList = true }
                if line.isEmpty { isList = false }
                guard isList, let match = line.wholeMatch(of: /\s\s([a-z-]+)(?: .*)/) else { continue }
                verbs.append(verb + [String(match.1)])
            }
            return verbs
        }

        /// The names of the values of options, as in `--port <PORT>`.
        var placeholders: [Substring] {
            lines.compactMap { $0.firstMatch(of: /^  --[a-z-]+ <([^>]*)>/)?.1 }
        }

        /// The long options, each with `true` if it has an explanation on its line or the next.
        var options: [(name: String, isExplained: Bool)] {
            lines.indices.compactMap { index in
                guard let match = lines[index].firstMatch(of: /^  (--[a-z-]+)(?: <[^>]*>)?(.*)/) else {
                    return nil
                }
                let next = lines[index + 1].drop { $0 == " " }
                return (String(match.1), !match.2.isEmpty || !next.isEmpty && !next.hasPrefix("-"))
            }
        }
    }

    /// Returns the pages of all verbs, as the program lists them.
    private func pages(below verb: [String] = []) async throws -> [Page] {
        let page = try await Page(of: verb)
        var pages = [page]
        for verb in page.verbs { pages += try await self.pages(below: verb) }
        return pages
    }

    @Test("Every verb and option has an explanation in --help and in docs/command-line.md")
    func everything() async throws {
        let documentation = try ["command-line", "configuration"].map(Self.documentation).joined()
        let pages = try await pages().dropFirst()
        let verbs = Set(pages.map { $0.verb.joined(separator: " ") })
        #expect(verbs.isSuperset(of: ["serve", "init", "script", "deliveries", "documents", "documents list"]))
        for page in pages {
            let verb = page.verb.joined(separator: " ")
            #expect(page.text.hasPrefix("OVERVIEW: "), "\(verb)")
            #expect(page.text.contains("USAGE: pushgate \(verb)"), "\(verb)")
            #expect(documentation.contains("- **`\(verb)"), "\(verb) is not in the documentation")
            #expect(page.placeholders.allSatisfy { $0 == $0.uppercased() }, "\(verb): \(page.placeholders)")
            if page.verbs.isEmpty, !["serve", "demo"].contains(verb) {
                #expect(page.options.contains { $0.name == "--json" }, "\(verb)")
            }
            for option in page.options where option.name != "--version" {
                #expect(option.isExplained, "\(verb) \(option.name) is not explained")
                #expect(documentation.contains(option.name), "\(verb) \(option.name) is not in the documentation")
            }
        }
        let options = try #require(pages.first { $0.verb == ["script"] }).options.map(\.name)
        #expect(
            options == [
                "--server", "--data-directory", "--json", "--error", "--token", "--times", "--delay", "--reset",
                "--version",
            ])
    }

    private static func documentation(_ page: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        return try String(contentsOf: root.appending(path: "docs/\(page).md"), encoding: .utf8)
    }
}
