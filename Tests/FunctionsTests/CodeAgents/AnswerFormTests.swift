import Functions
import JSON
import Messaging
import TestDoubles
import Testing

@Suite("CodeAgents' answers, as their clients decode them", .timeLimit(.minutes(1)))
struct AnswerFormTests {
    private struct Registered: Decodable {
        let ok: Bool
        let server_key: String
        let agent_key: String
    }

    private struct Unregistered: Decodable {
        let ok: Bool
        let deleted: Int
    }

    private struct Refused: Decodable {
        let error: String
    }

    @Test("a registration and its end have every member, of its type")
    func registration() async throws {
        let bench = try Bench()
        let registered: Registered = try await bench.register().decoded()
        #expect(registered.ok && registered.server_key == Call.serverKey && registered.agent_key == Bench.agentKey)
        let one: Unregistered = try await bench.unregister(.unregister(cwd: "/srv/app")).decoded()
        let all: Unregistered = try await bench.unregister(.unregister()).decoded()
        #expect(one.ok && one.deleted == 1 && all.ok && all.deleted == 0)
    }

    @Test("a refusal has its code")
    func refusals() async throws {
        let bench = try Bench()
        for (function, call, code) in [
            ("registerSubscription", Call(["cwd": "/srv"]), "bad_request"),
            ("triggerReplyFinished", Call(text: "{"), "bad_request"),
            ("unregisterSubscription", Call([:], secret: "short"), "unauthorized"),
        ] {
            let refused: Refused = try await bench.call(function, call).decoded()
            #expect(refused.error == code)
        }
    }
}
