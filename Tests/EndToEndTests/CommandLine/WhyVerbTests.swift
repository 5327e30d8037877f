import APNsSimulator
import HTTPTypes
import JSON
import TestBasics
import TestDoubles
import TestSupport
import Testing

@Suite("pushgate why", .timeLimit(.minutes(10)))
struct WhyVerbTests {
    private func run(
        _ arguments: [String], _ gateway: RunningGateway, token: String? = nil
    ) async throws -> FinishedProcess {
        try await PushgateProgram.run(
            ["why", "--data-directory", gateway.directory] + arguments,
            environment: token.map { ["PUSHGATE_DEVICE_TOKEN": $0] } ?? [:])
    }

    @Test("Its first line is the answer of the gateway, the device and its messages follow, and no token is printed")
    func answer() async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                let token = String.randomToken()
                apns.simulator.script(
                    token: token, answers: [ScriptedAnswer(status: 403, reason: "InvalidProviderToken", count: nil)])
                let daemon = Daemon(gateway.caller)
                try await daemon.register("phone", token: token, ["apns_environment": "sandbox"])
                try await daemon.trigger(preview: "Done.")
                try await eventually("the app is held up") {
                    let answer = try await gateway.ask("/v1/diagnoses", .post, ["of": "phone"]).body
                    return answer["cause"] == "sender-refused"
                }
                let byName = try await run(["phone"], gateway)
                #expect(byName.exitCode == 0, "\(byName.errors)")
                let line = "\(RunningSimulator.bundleID) is held up since 20"
                #expect(byName.output.hasPrefix(line), "\(byName.output)")
                #expect(byName.output.contains("(InvalidProviderToken), 1 message waits: Apple refuses the key."))
                #expect(byName.output.contains("/devices/phone\n  apns sandbox token#"))
                #expect(byName.output.contains("\n  of codeagents, agent “/srv/app”, "))
                #expect(byName.output.contains("  held up: InvalidProviderToken  "))
                let byToken = try await run([], gateway, token: token)
                #expect(byToken.exitCode == 0 && byToken.output.hasPrefix(line))
                #expect(!(byName.output + byToken.output + byToken.errors).contains(token))
                let json = try JSONValue(parsing: try await run(["/srv/app", "--json"], gateway).output)
                #expect(byName.output.split(separator: "\n").first.map(String.init) == json["summary"]?.string)
            }
        }
    }

    @Test("It exits with 1 for what nobody has registered, and explains a missing name")
    func mistakes() async throws {
        try await withGateway { gateway in
            let unknown = try await run(["nobody"], gateway)
            #expect(unknown.exitCode == 1 && unknown.output.hasPrefix("Nothing here has this name"))
            let nothing = try await run([], gateway)
            #expect(nothing.exitCode == 64 && nothing.errors.contains("name a device, a token or an agent"))
        }
    }
}
