import APNsSimulator
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("Superseded notifications at the command line and in the metrics", .timeLimit(.minutes(10)))
struct SupersededTests {
    @Test("A trigger that is replaced while it is sent exits with 0 and says so, and the metrics count it")
    func trigger() async throws {
        try await withSimulator { apns in
            let token = String.randomToken()
            let slow = ScriptedAnswer(status: 200, count: 1, delay: .seconds(600))
            apns.simulator.script(token: token, answers: [slow])
            let settings = apns.gatewaySettings.merging(["functions.codeagents.triggerWait": "50s"]) { $1 }
            try await ServingProcess.running(settings) { serving in
                let daemon = Daemon(serving.caller)
                try await daemon.register("phone", token: token)
                async let old = PushgateProgram.run(
                    ["trigger", "--cwd", "/srv/app", "--preview", "old", "--data-directory", serving.directory],
                    environment: ["CODEAGENTS_PUSH_SECRET": daemon.secret])
                try await eventually("the first one is under way") { apns.simulator.counters.requests >= 1 }
                #expect(try await daemon.trigger(preview: "new").body["sent"] == 1)
                let finished = try await old
                #expect(finished.exitCode == 0, "\(finished.errors)")
                #expect(finished.output == "attempted 1, sent 0, superseded 1\n")
                let counted = #"pushgate_notifications_total{transport="apns",outcome="superseded",reason=""} 1"#
                try await eventually("it is counted") {
                    try await serving.caller.send(.get, "/metrics").text.split(separator: "\n").contains(counted[...])
                }
                let metrics = try await serving.caller.send(.get, "/metrics").text
                #expect(!metrics.contains(#"outcome="rejected""#))
            }
        }
    }
}
