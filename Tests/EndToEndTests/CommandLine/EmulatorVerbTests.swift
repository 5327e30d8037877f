import Cryptography
import HTTPTypes
import JSON
import TestSupport
import Testing

@Suite("Verbs for the emulator", .timeLimit(.minutes(10)))
struct EmulatorVerbTests {
    private func send(_ message: JSONValue, _ stage: CommandLineStage) async throws -> Int {
        let body: JSONValue = ["message": message]
        return try await stage.gateway.caller.send(
            .post, "/v1/projects/pushgate/messages:send", body: body.serialized
        ).status
    }

    /// Runs a verb with a text as its standard input.
    private func run(_ verb: String, reading text: String, _ stage: CommandLineStage) async throws -> FinishedProcess {
        let program = "'\(PushgateProgram.path)' \(verb) --data-directory '\(stage.gateway.directory)'"
        let command = "printf '\(text)\\n' | \(program)"
        return try await ChildProcess.running("/bin/sh", ["-c", command]) { try await $0.finish() }
    }

    @Test("inbox shows a notification's registration, its topic, and its data keys if it has no text")
    func inbox() async throws {
        try await CommandLineStage.running { stage in
            let batch: JSONValue = ["to": "/topics/news", "registration_tokens": ["tablet"]]
            _ = try await stage.gateway.caller.send(.post, "/iid/v1:batchAdd", body: batch.serialized)
            #expect(try await send(["token": "phone", "data": ["b": "1", "a": "2"]], stage) == 200)
            #expect(try await send(["topic": "news", "notification": ["title": "News"]], stage) == 200)
            let phone = "token#" + SHA256.hexadecimal(of: "phone").prefix(8)
            let all = try await stage.run("inbox", "--wait", "2")
            #expect(all.output.contains("  \(phone)\n  data: a, b\n"))
            #expect(all.output.contains("  'news' in topics\n  News\n"))
            #expect(!all.output.contains("?"))
        }
    }

    /// A text that begins another line, colours the terminal, rings its bell and turns the direction round.
    private static let hostile = "a\nb\r\n\u{1B}[31mc\u{7}\u{202E}d\u{9B}e\\f"
    private static let shown = #"a\nb\r\n\u001b[31mc\u0007\u202ed\u009be\\f"#

    /// Expects that nothing in an output acts on a terminal.
    private func expectHarmless(_ output: String) {
        for scalar in output.unicodeScalars where scalar != "\n" {
            #expect(scalar.properties.generalCategory != .control && scalar != "\u{202E}", "\(output.debugDescription)")
        }
    }

    @Test("Texts from outside do not act on the terminal in which a verb shows them, and JSON keeps their meaning")
    func hostileTexts() async throws {
        try await CommandLineStage.running { stage in
            let hostile = JSONValue.string(Self.hostile)
            let message: JSONValue = ["token": "phone", "notification": ["title": hostile, "body": hostile]]
            #expect(try await send(message, stage) == 200)
            for arguments in [["inbox", "--wait", "1"], ["inbox", "--sent"], ["deliveries"]] {
                let output = try await PushgateProgram.run(
                    arguments + ["--data-directory", stage.gateway.directory], environment: [:]
                ).output
                #expect(output.contains(Self.shown), "\(arguments): \(output.debugDescription)")
                expectHarmless(output)
            }
            let json = try await stage.run("inbox", "--json")
            expectHarmless(json.output)
            let notifications = try JSONValue(parsing: json.output)["notifications"]
            #expect(notifications?[0]?["message"]?["notification"]?["title"] == hostile)
        }
    }

    @Test("inbox accepts a token, a token from standard input, or a fingerprint")
    func inboxOfToken() async throws {
        try await CommandLineStage.running { stage in
            for token in ["phone", "tablet"] { #expect(try await send(["token": .string(token)], stage) == 200) }
            let phone = "token#" + SHA256.hexadecimal(of: "phone").prefix(8)
            var outputs = [try await run("inbox --token -", reading: "phone", stage).output]
            for argument in ["phone", phone] {
                outputs.append(try await stage.run("inbox", "--token", argument).output)
            }
            for output in outputs {
                #expect(output.contains(phone) && output.split(separator: "token#").count == 2)
            }
        }
    }

    @Test("inbox --sent shows messages that reached no device, with the reason")
    func sent() async throws {
        try await CommandLineStage.running { stage in
            _ = try await stage.run("script", "--error", "UNREGISTERED", "--token", "phone")
            #expect(try await send(["token": "phone", "notification": ["title": "Hello"]], stage) == 404)
            #expect(try await send(["topic": "news", "data": ["a": "1"]], stage) == 200)
            let phone = "token#" + SHA256.hexadecimal(of: "phone").prefix(8)
            let sent = try await stage.run("inbox", "--sent")
            #expect(sent.output.contains("  \(phone)  UNREGISTERED\n  Hello\n"))
            #expect(sent.output.contains("  topic news  accepted as ") && sent.output.hasSuffix("\n  data: a\n"))
            #expect(try await stage.run("inbox", "--sent", "--reset").output == "sent messages deleted\n")
            let none = try await stage.run("inbox", "--sent").output
            #expect(none == "the emulator has received no such message by FCM's interface since its start\n")
        }
    }

    @Test("script adds, lists and deletes scripts")
    func script() async throws {
        try await CommandLineStage.running { stage in
            #expect(try await stage.run("script").output == "no scripts: every message is accepted\n")
            let added = try await run("script --error unavailable --token - --times 2", reading: "phone", stage)
            let phone = "token#" + SHA256.hexadecimal(of: "phone").prefix(8)
            #expect(added.output == "\(phone): UNAVAILABLE, 2 more\n")
            #expect(try await send(["token": "phone"], stage) == 503)
            let listed = try await stage.run("script", "--delay", "500ms")
            #expect(listed.output == "\(phone): UNAVAILABLE, 1 more\nevery message: accepted, after 0.5s\n")
            let json = try await stage.json("script")
            #expect(json["scripts"]?[0]?["delay"] == nil && json["scripts"]?[1]?["delay"] == "0.5s")
            #expect(try await stage.run("script", "--reset").output == "no scripts: every message is accepted\n")
        }
    }

    @Test("A token that is missing on standard input is an error, and no script is added")
    func noToken() async throws {
        try await CommandLineStage.running { stage in
            for arguments in [["script", "--error", "INTERNAL", "--token", "-"], ["inbox", "--token", "-"]] {
                let finished = try await PushgateProgram.run(
                    arguments + ["--data-directory", stage.gateway.directory])
                #expect(finished.exitCode == 64 && finished.errors.contains("standard input"))
            }
            #expect(try await stage.run("script").output == "no scripts: every message is accepted\n")
        }
    }
}
