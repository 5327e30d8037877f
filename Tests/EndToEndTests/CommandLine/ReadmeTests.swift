import Foundation
import TestSupport
import Testing

@Suite("The README", .timeLimit(.minutes(10)))
struct ReadmeTests {
    /// The five lines, and the output that the README shows for the last one.
    private static func fiveLines() throws -> (commands: [String], output: [String]) {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
        let text = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let section = try #require(text.firstRange(of: "## Five lines to a push\n"))
        // Each second part is a block of code.
        let blocks = text[section.upperBound...].split(separator: "```", maxSplits: 4, omittingEmptySubsequences: false)
        try #require(blocks.count == 5 && blocks[1].hasPrefix("sh\n") && blocks[3].hasPrefix("\n"))
        return (
            blocks[1].split(separator: "\n").dropFirst().map(String.init),
            blocks[3].split(separator: "\n").map(String.init)
        )
    }

    @Test("The five lines to a push work as they are printed, and the last one prints what is shown")
    func push() async throws {
        let (commands, output) = try Self.fiveLines()
        try #require(commands.count == 5 && output.count == 3)
        // A test installs no package. The port is that of a new gateway; this one has another.
        let version = try #require(commands[0].wholeMatch(of: /sudo apt install \.\/pushgate_(.+)-1_amd64\.deb/))
        #expect(try await PushgateProgram.run(["--version"]).output.contains(version.1))
        let address = "http://127.0.0.1:8080"
        try #require(commands[1].hasSuffix(address) && commands[4].hasPrefix("sudo pushgate "))
        try await withGateway { gateway in
            // Only root may read the data of the service, and gets no variables of the user.
            let script = """
                program=$1; data=$2
                pushgate() { "$program" "$@"; }
                sudo() {
                    shift
                    env -u CODEAGENTS_PUSH_SECRET -u CODEAGENTS_PUSH_GATEWAY_BASE_URL \
                        "$program" "$@" --data-directory "$data"
                }
                set -e
                \(commands[1].replacing(address, with: gateway.url))
                \(commands[2...].joined(separator: "\n"))
                """
            let arguments = ["-c", script, "sh", PushgateProgram.path, gateway.directory]
            let finished = try await ChildProcess.running("/bin/sh", arguments) { try await $0.finish() }
            #expect(finished.exitCode == 0, "\(finished.errors)")
            let printed = finished.output.split(separator: "\n").suffix(output.count).map(String.init)
            // The first of them begins with a time.
            #expect(printed.dropFirst() == output.dropFirst(), "\(finished.output)")
            #expect(printed.first?.split(separator: " ").last == output[0].split(separator: " ").last)
        }
    }
}
