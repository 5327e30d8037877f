import JSON
import TestBasics
import TestDoubles
import TestSupport
import Testing

@Suite("Verbs with --follow", .timeLimit(.minutes(10)))
struct FollowTests {
    /// Runs a verb with `--follow` against a gateway for the body.
    private func following(
        _ verb: [String], _ body: (CommandLineStage, ChildProcess) async throws -> Void
    ) async throws {
        try await CommandLineStage.running { stage in
            #expect(try await stage.run("register", "--cwd", "/srv/app", "--token", "emulated:1").exitCode == 0)
            for text in ["Earlier", "Before"] {
                #expect(try await stage.run("trigger", "--cwd", "/srv/app", "--preview", text).exitCode == 0)
            }
            try await PushgateProgram.running(
                verb + ["--follow", "--data-directory", stage.gateway.directory]
            ) { child in
                try await body(stage, child)
            }
        }
    }

    @Test("inbox prints what is there and then each notification as it arrives", arguments: [false, true])
    func inbox(isJSON: Bool) async throws {
        try await following(["inbox"] + (isJSON ? ["--json"] : [])) { stage, child in
            try await eventually("the first notification is printed") { child.outputText.contains("Before") }
            for text in ["First", "Second"] {
                #expect(try await stage.run("trigger", "--cwd", "/srv/app", "--preview", text).exitCode == 0)
                try await eventually("\(text) is printed") { child.outputText.contains(text) }
            }
            #expect(child.isRunning && child.errorText == "")
            guard isJSON else { return }
            let lines = try child.outputText.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
            #expect(lines.map { $0["message"]?["notification"]?["body"] } == ["Earlier", "Before", "First", "Second"])
        }
    }

    @Test("deliveries prints as many messages as --limit says, and then each that is accepted")
    func deliveries() async throws {
        try await following(["deliveries", "--json", "--limit", "1"]) { stage, child in
            func ids() -> [String] {
                child.outputText.split(separator: "\n").compactMap { line in
                    (try? JSONValue(parsing: String(line)))?["id"]?.string
                }
            }
            try await eventually("the newest message is printed") { Set(ids()).count == 1 }
            for count in 2...3 {
                #expect(try await stage.run("trigger", "--cwd", "/srv/app").exitCode == 0)
                try await eventually("a new message is printed") { Set(ids()).count == count }
            }
            #expect(child.isRunning && child.errorText == "")
        }
    }

    @Test("deliveries with an id ends once the message has settled")
    func one() async throws {
        try await CommandLineStage.running { stage in
            _ = try await stage.run("register", "--cwd", "/srv/app", "--token", "emulated:1")
            _ = try await stage.run("trigger", "--cwd", "/srv/app", "--preview", "Before")
            let listed = try await stage.json("deliveries")
            let id = try #require(listed["deliveries"]?[0]?["id"]?.string)
            let followed = try await stage.run("deliveries", id, "--follow")
            #expect(followed.exitCode == 0 && followed.output.contains("1 of 1 accepted"), "\(followed.errors)")
        }
    }

    @Test("deliveries with an id waits while the recipients of a message are still being read")
    func expanding() async throws {
        try await CommandLineStage.running { stage in
            _ = try await stage.run("register", "--cwd", "/srv/app", "--token", "emulated:1")
            _ = try await stage.run("trigger", "--cwd", "/srv/app")
            let id = try #require(try await stage.json("deliveries")["deliveries"]?[0]?["id"]?.string)
            // The state of a message to a topic of which no page was read yet.
            #expect(try await stage.run("documents", "set", "broadcasts/\(id)", "{}").exitCode == 0)
            let verb = ["deliveries", id, "--follow", "--data-directory", stage.gateway.directory]
            try await PushgateProgram.running(verb) { child in
                try await eventually("it says so") { child.outputText.contains("0 of 0 accepted, more recipients") }
                #expect(child.isRunning)
                #expect(try await stage.run("documents", "delete", "broadcasts/\(id)").exitCode == 0)
                let finished = try await child.finish()
                #expect(finished.exitCode == 0 && finished.output.contains("1 of 1 accepted"), "\(finished.errors)")
            }
        }
    }

    @Test(
        "The verb ends when its output is closed, also if SIGPIPE is ignored",
        arguments: [["inbox"], ["deliveries", "--json"]])
    func closedOutput(verb: [String]) async throws {
        try await CommandLineStage.running { stage in
            _ = try await stage.run("register", "--cwd", "/srv/app", "--token", "emulated:1")
            _ = try await stage.run("trigger", "--cwd", "/srv/app")
            let script = """
                trap "" PIPE
                { "$0" "$@"; echo "ended with $?" >&2; } | head -n 1
                """
            let arguments = verb + ["--follow", "--data-directory", stage.gateway.directory]
            try await ChildProcess.running("/bin/sh", ["-c", script, PushgateProgram.path] + arguments) { child in
                try await eventually("a line is printed") { !child.outputText.isEmpty }
                for _ in 0..<10 where child.isRunning {
                    _ = try await stage.run("trigger", "--cwd", "/srv/app")
                    _ = await TestBasics.eventually(within: .seconds(5)) { !child.isRunning }
                }
                let finished = try await child.finish()
                #expect(finished.errors.contains("cannot write to standard output"), "\(finished.errors)")
                #expect(finished.errors.contains("ended with 1"), "\(finished.errors)")
            }
        }
    }

    @Test("--follow is refused with options that end the verb")
    func refused() async throws {
        for arguments in [
            ["inbox", "--wait", "1"], ["inbox", "--reset"], ["deliveries", "--before", "2026-01-01T00:00:00Z"],
            ["deliveries", "--scheduled"], ["deliveries", "x", "--cancel"],
        ] {
            let finished = try await PushgateProgram.run(arguments + ["--follow"])
            #expect(finished.exitCode == 64 && finished.errors.contains("--follow cannot be combined"))
        }
    }
}
