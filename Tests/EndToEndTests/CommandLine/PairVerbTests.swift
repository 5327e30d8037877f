import Foundation
import HTTPTypes
import JSON
import QRCodes
import TestSupport
import Testing

@Suite("pushgate pair", .timeLimit(.minutes(10)))
struct PairVerbTests {
    @Test("The verb prints a link whose code pairs one browser")
    func link() async throws {
        try await CommandLineStage.running { stage in
            let finished = try await stage.run("pair", "--cwd", "/srv/app", "--name", "My agent")
            #expect(finished.exitCode == 0)
            let output = finished.output.split(separator: "\n")
            try #require(output.count == 3, "\(finished.output)")
            let link = try #require(output[0].wholeMatch(of: /(.+)\/try#([0-9A-HJKMNP-TV-Z]{26})/))
            #expect(link.1 == stage.gateway.url)
            #expect(output[1] == "  code  \(grouped(String(link.2)))")
            #expect(output[2].hasPrefix("  good  once, until 20"))
            #expect(finished.errors.contains("set http.publicUrl"))
            let body: JSONValue = ["code": .string(String(link.2))]
            let paired = try await stage.gateway.caller.send(.post, "/try/pair", body: body.serialized)
            #expect(paired.body["cwd"] == "/srv/app" && paired.body["agent_display_name"] == "My agent")
            let again = try await stage.gateway.caller.send(.post, "/try/pair", body: body.serialized)
            #expect(again.status == 404)
        }
    }

    @Test(
        "On a terminal the verb shows the link as a QR code, in black on white",
        .enabled(if: FileManager.default.isExecutableFile(atPath: CommandLineStage.terminal)))
    func terminal() async throws {
        try await CommandLineStage.running { stage in
            let finished = try await stage.runOnTerminal("pair", "--cwd", "/srv/app")
            #expect(finished.exitCode == 0, "\(finished.output)")
            let link = try #require(finished.output.firstMatch(of: /http[^ ]+\/try#[0-9A-HJKMNP-TV-Z]{26}/))
            let code = try #require(QRCode(String(link.output)))
            let expected = code.lines.map { "\u{1B}[38;5;16;48;5;231m\($0)\u{1B}[0m" }
            let shown = finished.output.split(whereSeparator: \.isNewline).suffix(expected.count).map(String.init)
            #expect(expected.count > 10 && shown == expected, "\(finished.output)")
        }
    }

    private func grouped(_ code: String) -> String {
        code.enumerated().map { $0.offset > 0 && $0.offset % 5 == 0 ? "-\($0.element)" : "\($0.element)" }.joined()
    }

    @Test("The link begins with http.publicUrl, and JSON has it too")
    func publicURL() async throws {
        try await withGateway(["http.publicUrl": "https://push.example.com/here"]) { gateway in
            let stage = CommandLineStage(gateway: gateway)
            let finished = try await stage.run("pair", "--cwd", "/srv/app")
            #expect(finished.output.hasPrefix("https://push.example.com/here/try#") && finished.errors.isEmpty)
            let json = try await stage.json("pair", "--cwd", "/srv/app")
            let code = try #require(json["code"]?.string)
            #expect(json["link"]?.string == "https://push.example.com/here/try#\(code)")
        }
    }

    @Test("A gateway that pairs no browsers is named, and a folder must be absolute")
    func refusals() async throws {
        try await withGateway(["functions.codeagents.pairing": "false"]) { gateway in
            let stage = CommandLineStage(gateway: gateway)
            let finished = try await stage.run("pair", "--cwd", "/srv/app")
            #expect(finished.exitCode == 1 && finished.errors.contains("functions.codeagents.pairing is false"))
            #expect(try await stage.run("pair", "--cwd", "app").exitCode == 64)
        }
    }
}
