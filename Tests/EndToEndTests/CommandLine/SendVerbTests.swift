import APNsSimulator
import JSON
import TestBasics
import TestSupport
import Testing

@Suite("pushgate send", .timeLimit(.minutes(10)))
struct SendVerbTests {
    private func run(
        _ arguments: [String], _ gateway: RunningGateway, token: String? = nil
    ) async throws -> FinishedProcess {
        try await PushgateProgram.run(
            ["send", "--data-directory", gateway.directory] + arguments,
            environment: token.map { ["PUSHGATE_DEVICE_TOKEN": $0] } ?? [:])
    }

    @Test("It prints the acceptance, each step and its meaning, and exits with 0")
    func accepted() async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                let token = String.randomToken()
                let arguments = [
                    "--title", "Hello", "--body", "A test", "--data", "kind=a=b", "--environment", "sandbox",
                ]
                let sent = try await run(arguments, gateway, token: token)
                #expect(sent.exitCode == 0, "\(sent.errors)")
                let lines = sent.output.split(separator: "\n")
                #expect(lines.first?.hasPrefix("the gateway accepted the message ") == true)
                #expect(sent.output.contains("  a bare token  apns sandbox  apns-id "))
                #expect(lines.last?.hasPrefix("      Apple accepted it.") == true)
                #expect(!(sent.output + sent.errors).contains(token))
                let payload = try #require(apns.simulator.received().last?.payload)
                #expect(payload["aps"]?["alert"] == ["title": "Hello", "body": "A test"] && payload["kind"] == "a=b")
            }
        }
    }

    @Test("It exits with 1 for a rejection, and for a message that still waits, with the reason")
    func notAccepted() async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                let (unknown, waiting) = (String.randomToken(), String.randomToken())
                apns.simulator.script(
                    token: unknown, answers: [ScriptedAnswer(status: 400, reason: "BadDeviceToken")])
                let rejected = try await run(["--environment", "production", "--json"], gateway, token: unknown)
                #expect(rejected.exitCode == 1)
                let notification = try JSONValue(parsing: rejected.output)["notifications"]?[0]
                #expect(notification?["reason"] == "BadDeviceToken" && notification?["explanation"] != nil)
                apns.simulator.script(
                    token: waiting, answers: [ScriptedAnswer(status: 403, reason: "InvalidProviderToken")])
                let pending = try await run(["--environment", "sandbox", "--wait", "1"], gateway, token: waiting)
                #expect(pending.exitCode == 1 && pending.output.contains("failed: InvalidProviderToken"))
                #expect(pending.output.contains("Apple refuses the key."))
                #expect(pending.output.contains("still pending; see later: pushgate deliveries "))
            }
        }
    }

    @Test("A mistake is explained")
    func mistakes() async throws {
        try await withGateway { gateway in
            let nothing = try await run([], gateway)
            #expect(nothing.exitCode == 64 && nothing.errors.contains("or give --to"))
            let data = try await run(["--to", "emulated:1", "--data", "kind"], gateway)
            #expect(data.exitCode == 64 && data.errors.contains("--data takes NAME=VALUE"))
            let missing = try await run(["--to", "servers/nobody"], gateway)
            #expect(missing.exitCode == 1 && missing.errors.contains("there is no document servers/nobody"))
        }
    }
}
