import APNsSimulator
import JSON
import TestDoubles
import TestSupport
import Testing

@testable import Gateway

@Suite("App whose topic Apple refuses", .timeLimit(.minutes(10)))
struct RefusedTopicTests {
    @Test(
        "A refused topic holds the app's notifications, is logged with the app, and ends with a reload",
        arguments: ["BadTopic", "TopicDisallowed"])
    func held(reason: String) async throws {
        try await withSimulator { apns in
            let refusal = ScriptedAnswer(status: 400, reason: reason, count: nil)
            apns.simulator.script(token: nil, answers: [refusal])
            try await withGateway(["functions.codeagents.triggerWait": "5s"], simulator: apns) { gateway in
                let daemon = Daemon(gateway.caller)
                try await daemon.register("phone", token: .randomToken())
                let answer = try await daemon.trigger(preview: "Kept.")
                #expect(answer.body["pending"] == 1 && answer.body["pruned"] == 0)
                #expect(answer.body["errors"] == ["messaging/third-party-auth-error": 1])
                let words = "pausing a lane; the push service refuses its app"
                try await eventually("the refusal is logged") { gateway.log.lines.contains { $0.contains(words) } }
                let line = gateway.log.lines.first { $0.contains(words) }
                #expect(line?.contains("apns/\(RunningSimulator.bundleID)/sandbox") == true, "\(line ?? "")")
                #expect(line?.contains(reason) == true)
                #expect(!gateway.log.lines.contains { $0.contains("apns//") })
                apns.simulator.clearScript()
                try gateway.gateway.reload(gateway.gateway.configuration)
                let received = try await apns.simulator.wait(
                    for: 1, matching: NotificationFilter(status: 200), timeout: .seconds(60))
                #expect(Set(received.map(\.apnsID)).count == 1)
            }
        }
    }
}
