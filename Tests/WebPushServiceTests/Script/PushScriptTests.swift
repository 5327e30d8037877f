import SimulatorTools
import Testing

@testable import WebPushService

@Suite("Scripts of answers to messages")
struct PushScriptTests {
    private func statuses(_ script: inout PushScript, _ token: String, _ count: Int) -> [Int?] {
        (0..<count).map { _ in script.takeAnswer(for: token)?.status }
    }

    @Test("Steps for an endpoint apply to it alone, in order, and before those for all endpoints")
    func order() {
        var script = PushScript()
        script.append([ScriptedPushAnswer(status: 429, count: 2)], for: nil)
        script.append([ScriptedPushAnswer(status: 503, count: 2), ScriptedPushAnswer(status: 410)], for: "aB")
        #expect(statuses(&script, "ab", 1) == [429], "tokens are case-sensitive")
        #expect(statuses(&script, "aB", 5) == [503, 503, 410, 429, nil])
        #expect(script.remaining.isEmpty)
    }

    @Test("The rest of a script has the times that are left")
    func remaining() {
        var script = PushScript()
        script.append([ScriptedPushAnswer(status: 503, count: 3)], for: "b")
        script.append([ScriptedPushAnswer(status: 404, count: nil)], for: "a")
        script.append([ScriptedPushAnswer(status: 410, count: 0)], for: nil)
        _ = statuses(&script, "b", 1)
        _ = statuses(&script, "a", 4)
        #expect(script.remaining.map(\.token) == ["a", "b"])
        #expect(script.remaining.flatMap(\.answers).map(\.count) == [nil, 2])
        script.removeAnswers(for: "a")
        #expect(script.remaining.map(\.token) == ["b"])
    }

    @Test("A step accepts a message by its status, or although there is no answer")
    func acceptance() {
        #expect(ScriptedPushAnswer(status: 201).isAccepted)
        #expect(!ScriptedPushAnswer(status: 410).isAccepted)
        #expect(!ScriptedPushAnswer.hanging().isAccepted)
        #expect(ScriptedPushAnswer.closing(isAccepted: true).isAccepted)
    }

    @Test("A scripted status has the reason of the service")
    func reasons() {
        #expect(PushServiceProfile.apple.rejection(status: 410).reason == "Unregistered")
        #expect(PushServiceProfile.apple.rejection(status: 429).reason == "TooManyRequests")
        #expect(PushServiceProfile.mozilla.rejection(status: 410).errno == 103)
        #expect(PushServiceProfile.mozilla.rejection(status: 502).errno == 900)
        #expect(PushServiceProfile.mozilla.rejection(status: 503).errno == 201)
        for profile in PushServiceProfile.allCases {
            for status in [404, 406, 410, 413, 418, 429, 500, 503] {
                let rejection = profile.rejection(status: status)
                #expect(rejection.status == status)
                #expect(!rejection.reason.isEmpty)
            }
        }
    }
}
