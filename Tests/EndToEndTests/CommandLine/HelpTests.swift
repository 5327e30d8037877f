import TestSupport
import Testing

@Suite("Help", .timeLimit(.minutes(1)))
struct HelpTests {
    private static let gateway = ["--server", "--data-directory", "--json"]

    static let options: [(verb: [String], options: [String])] = [
        (["serve"], ["--config", "--host", "--port", "--data-directory", "--log-level", "--log-format", "--set"]),
        (["apns-simulator"], ["--host", "--port", "--control-port", "--directory", "--name", "--json"]),
        (["demo"], []),
        (
            ["register"],
            gateway + ["--env-file", "--cwd", "--token", "--installation-id", "--name", "--bundle-id", "--environment"]
        ),
        (["unregister"], gateway + ["--env-file", "--cwd", "--installation-id"]),
        (
            ["trigger"],
            gateway + ["--env-file", "--cwd", "--preview", "--conversation-id", "--exclude-installation-id"]
        ),
        (["enable"], gateway + ["--env-file"]),
        (["inbox"], gateway + ["--installation-id", "--wait", "--timeout", "--reset"]),
        (["documents", "get"], gateway + ["<path>"]),
        (["documents", "list"], gateway + ["<path>", "--limit"]),
        (["health"], gateway),
        (["version"], []),
    ]

    @Test("of a verb names every option, and explains it", arguments: options)
    func verb(verb: [String], options: [String]) async throws {
        let finished = try await PushgateProgram.run(verb + ["--help"])
        #expect(finished.exitCode == 0)
        #expect(finished.output.contains("USAGE: pushgate \(verb.joined(separator: " "))"))
        #expect(finished.output.hasPrefix("OVERVIEW: "))
        let lines = finished.output.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }
        for option in options {
            let index = try #require(lines.firstIndex { $0.hasPrefix(option) }, "\(option) is not there")
            let isExplained =
                lines[index].contains("  ") || lines[index].contains("> ") || !lines[index + 1].hasPrefix("-")
            #expect(isExplained, "\(option) is not explained")
        }
    }

    @Test("of the program names every verb")
    func overview() async throws {
        let finished = try await PushgateProgram.run(["--help"])
        for (verb, _) in Self.options { #expect(finished.output.contains("  \(verb[0]) ")) }
    }
}
