import Emulator
import Foundation
import Gateway
import JSON
import Messaging
import TestDoubles
import TestSupport
import Testing

@Suite("Secrets as arguments of verbs", .timeLimit(.minutes(10)))
struct SecretArgumentTests {
    private static let register = ["register", "--cwd", "/srv", "--json"]

    /// Runs a verb with a text as its standard input.
    private func run(
        _ arguments: [String], reading text: String, _ environment: [String: String]
    ) async throws -> FinishedProcess {
        let script = "printf '%s' \"$0\" | \"$@\""
        return try await ChildProcess.running(
            "/bin/sh", ["-c", script, text, PushgateProgram.path] + arguments, environment: environment
        ) { try await $0.finish() }
    }

    @Test("register reads the device token from standard input or from the environment")
    func token() async throws {
        try await withGateway { gateway in
            let environment = ["CODEAGENTS_PUSH_SECRET": String.randomSecret()]
            let gatewayArguments = ["--data-directory", gateway.directory]
            let piped = try await run(
                Self.register + ["--token", "-", "--installation-id", "a"] + gatewayArguments,
                reading: "emulated:piped\n", environment)
            #expect(piped.exitCode == 0, "\(piped.errors)")
            let fromEnvironment = try await PushgateProgram.run(
                Self.register + ["--installation-id", "b"] + gatewayArguments,
                environment: environment.merging(["PUSHGATE_DEVICE_TOKEN": "emulated:environment"]) { $1 })
            #expect(fromEnvironment.exitCode == 0, "\(fromEnvironment.errors)")
            let triggered = try await PushgateProgram.run(
                ["trigger", "--cwd", "/srv"] + gatewayArguments, environment: environment)
            #expect(triggered.exitCode == 0)
            let tokens = Set(gateway.gateway.inbox.items().map(\.target.address.token.value))
            #expect(tokens == ["emulated:piped", "emulated:environment"])
        }
    }

    @Test("register reads a browser's subscription from a file or from standard input, in place of a token")
    func subscription() async throws {
        func json(_ number: Int) -> String {
            SampleSubscription.json("https://push.invalid/\(number)").text + "\n"
        }
        try await withGateway { gateway in
            let secret = ["CODEAGENTS_PUSH_SECRET": String.randomSecret()]
            let arguments = Self.register + ["--data-directory", gateway.directory, "--web-push"]
            let file = gateway.directory + "/subscription.json"
            try json(1).write(toFile: file, atomically: true, encoding: .utf8)
            // A token in the environment is for other devices.
            let environment = secret.merging(["PUSHGATE_DEVICE_TOKEN": "emulated:environment"]) { $1 }
            let read = try await run(arguments + [file, "--installation-id", "a"], reading: "", environment)
            #expect(read.exitCode == 0, "\(read.errors)")
            let piped = try await run(arguments + ["-", "--installation-id", "b"], reading: json(2), secret)
            #expect(piped.exitCode == 0, "\(piped.errors)")
            _ = try await PushgateProgram.run(
                ["trigger", "--cwd", "/srv", "--data-directory", gateway.directory], environment: secret)
            let tokens = Set(gateway.gateway.inbox.items().map(\.target.address.token.value))
            #expect(tokens == ["https://push.invalid/1", "https://push.invalid/2"])

            for (more, words) in [
                ([file, "--token", "emulated:a"], "either --token or --web-push"), ([file + "x"], "cannot read"),
                (["-"], "PushSubscription.toJSON()"),
            ] {
                let refused = try await run(arguments + more, reading: "[]", secret)
                #expect(refused.exitCode == 64 && refused.errors.contains(words), "\(refused.errors)")
            }
            let invalid = try await run(arguments + ["-"], reading: #"{"endpoint":"http://push.invalid/"}"#, secret)
            #expect(invalid.exitCode == 1 && invalid.errors.contains("web_push.endpoint must begin with https://"))
        }
    }

    @Test("register without a token, or with an empty one, is refused with the ways to give one")
    func noToken() async throws {
        for (arguments, environment) in [
            (Self.register, [:]), (Self.register, ["PUSHGATE_DEVICE_TOKEN": ""]),
            (Self.register + ["--token", ""], [:]),
            (Self.register + ["--token", "-"], [:]),
        ] as [([String], [String: String])] {
            let finished = try await PushgateProgram.run(
                arguments + ["--server", "http://127.0.0.1:1"],
                environment: environment.merging(["CODEAGENTS_PUSH_SECRET": .randomSecret()]) { $1 })
            #expect(finished.exitCode == 64 && finished.errors.contains("--token"), "\(finished.errors)")
        }
    }

    @Test("serve warns of a secret in --set, and of no other setting")
    func exposed() async throws {
        let key = "0123456789abcdef"
        try await ServingProcess.running([
            "functions.runs.enabled": "true", "functions.runs.apiKeys": key, "log.level": "warning",
        ]) { serving in
            let lines = serving.child.errorText.split(separator: "\n").filter { !$0.contains("key=store.url") }
            #expect(lines.count == 1 && lines.first?.contains("functions.runs.apiKeys") == true, "\(lines)")
            #expect(!serving.child.errorText.contains(key))
        }
    }

    @Test("serve refuses a short admin token from the configuration and from the file")
    func adminToken() async throws {
        try await withTemporaryDirectory { directory in
            for environment in [["PUSHGATE_ADMIN_TOKEN": "fifteen-letters"], [:]] {
                if environment.isEmpty {
                    try "fifteen-letters\n".write(
                        toFile: directory + "/admin-token", atomically: false, encoding: .utf8)
                }
                try await PushgateProgram.running(
                    ["serve", "--port", "0", "--data-directory", directory], environment: environment
                ) { child in
                    let finished = try await child.finish()
                    #expect(finished.exitCode == 1 && finished.errors.contains("16"), "\(finished.errors)")
                    #expect(finished.errors.contains(environment.isEmpty ? "/admin-token" : "admin.token"))
                    #expect(!finished.errors.contains("fifteen-letters"))
                }
            }
        }
    }
}
