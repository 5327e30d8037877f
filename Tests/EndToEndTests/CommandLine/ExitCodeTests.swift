import APNsSimulator
import TestSupport
import Testing

@Suite("Exit codes", .timeLimit(.minutes(10)))
struct ExitCodeTests {
    @Test(
        "Wrong usage exits with 64",
        arguments: [
            ["nonsense"], ["trigger"], ["trigger", "--cwd"], ["register", "--cwd", "/srv"], ["enable"],
            ["inbox", "--wait", "many"], ["serve", "--set", "novalue"], ["serve", "--nonsense"],
            ["documents", "get", "servers"], ["documents", "set", "servers", "{}"],
            ["documents", "patch", "a/b", "{}"],
            ["firestore", "clear"], ["firestore", "clear", "--project", "a/b"],
            ["documents", "list", "--limit", "0"], ["health", "extra"],
        ])
    func badUsage(arguments: [String]) async throws {
        let finished = try await PushgateProgram.run(arguments)
        #expect(finished.exitCode == 64 && !finished.isSignalled)
        #expect(finished.errors.contains("Error: "))
        #expect(finished.output == "")
    }

    @Test(
        "A misspelled verb is answered with the one that is probably meant",
        arguments: [
            (["regsiter", "--cwd", "/srv"], "“pushgate” has no verb “regsiter”. Did you mean “pushgate register”?"),
            (["deliverys"], "Did you mean “pushgate deliveries”?"), (["start"], "Did you mean “pushgate serve”?"),
            (["doc"], "Did you mean “pushgate doctor”?"),
            (["documents", "lst"], "Did you mean “pushgate documents list”?"),
            (["help", "documents", "gte"], "Did you mean “pushgate documents get”?"),
            (["sessions", "keys", "crate"], "Did you mean “pushgate sessions keys create”?"),
            (["xyzzy"], "“pushgate” has no verb “xyzzy”. “pushgate --help” lists those that it has."),
        ])
    func didYouMean(arguments: [String], words: String) async throws {
        let finished = try await PushgateProgram.run(arguments)
        #expect(finished.exitCode == 64 && finished.output == "")
        #expect(finished.errors.contains(words), "\(finished.errors)")
    }

    @Test(
        "A verb without a gateway exits with 1, and the error says how to start one",
        arguments: [["health"], ["trigger", "--cwd", "/srv"], ["unregister"]])
    func noGateway(arguments: [String]) async throws {
        let finished = try await PushgateProgram.run(
            arguments + ["--server", "http://127.0.0.1:1"], environment: ["CODEAGENTS_PUSH_SECRET": .randomSecret()])
        #expect(finished.exitCode == 1)
        #expect(finished.errors.contains("no gateway answers at http://127.0.0.1:1"))
        #expect(finished.errors.contains("pushgate serve"))
    }

    @Test("A verb for a data directory without a gateway exits with 1")
    func nobodyThere() async throws {
        let byOption = try await PushgateProgram.run(
            ["health", "--data-directory", "/nonexistent"], environment: ["PUSHGATE_DATA_DIRECTORY": "/other"])
        let byEnvironment = try await PushgateProgram.run(
            ["health"], environment: ["PUSHGATE_DATA_DIRECTORY": "/nonexistent"])
        for finished in [byOption, byEnvironment] {
            #expect(finished.exitCode == 1)
            #expect(finished.errors.contains("no gateway runs on /nonexistent"))
        }
    }

    @Test("A verb without its secret or admin token exits with 1")
    func missingSecrets() async throws {
        let noSecret = try await PushgateProgram.run(["trigger", "--cwd", "/srv", "--server", "http://127.0.0.1:1"])
        #expect(noSecret.exitCode == 1)
        #expect(noSecret.errors.contains("CODEAGENTS_PUSH_SECRET"))
        let noToken = try await PushgateProgram.run([
            "inbox", "--data-directory", "/nonexistent", "--server", "http://127.0.0.1:1",
        ])
        #expect(noToken.exitCode == 1)
        #expect(noToken.errors.contains("/nonexistent/admin-token"))
    }

    @Test("A wait that times out, and a refusal by the gateway, exit with 1")
    func refused() async throws {
        try await CommandLineStage.running { stage in
            #expect(try await stage.run("inbox", "--wait", "1", "--timeout", "0").exitCode == 1)
            let short = try await PushgateProgram.run(
                ["trigger", "--cwd", "/srv", "--server", stage.gateway.url],
                environment: ["CODEAGENTS_PUSH_SECRET": "0123456789"])
            #expect(short.exitCode == 1)
            #expect(short.errors.contains("401 unauthorized"))
            #expect(!short.errors.contains("0123456789") && short.output == "")
        }
    }

    @Test("A trigger that reaches no device exits with 1")
    func nothingSent() async throws {
        try await withSimulator { apns in
            let token = String.randomToken()
            apns.simulator.script(token: token, answers: [.rejecting(.unregistered)])
            try await withGateway(simulator: apns) { gateway in
                let stage = CommandLineStage(gateway: gateway)
                #expect(try await stage.run("register", "--cwd", "/srv", "--token", token).exitCode == 0)
                let triggered = try await stage.run("trigger", "--cwd", "/srv")
                #expect(triggered.exitCode == 1)
                #expect(triggered.output.hasPrefix("attempted 1, sent 0, pruned 1\n"))
            }
        }
    }

    @Test("An invalid configuration exits with 1, and the error names the key")
    func badConfiguration() async throws {
        let finished = try await PushgateProgram.run(["serve", "--port", "99999"])
        #expect(finished.exitCode == 1)
        #expect(finished.errors.contains("http.port: “99999”"))
    }
}
