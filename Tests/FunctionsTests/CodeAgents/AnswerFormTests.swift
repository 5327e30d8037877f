import Functions
import JSON
import Messaging
import TestDoubles
import Testing

@Suite("CodeAgents: answers as clients decode them", .timeLimit(.minutes(10)))
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

    /// The fields that the newer daemon reads from every answer.
    private struct Triggered: Decodable {
        let ok: Bool
        let attempted: Int
        let sent: Int
        let excluded: Int
        let pruned: Int?
        let preview_included: Bool?
        let pending: Int?
        let errors: [String: Int]?
        let reason: String?
    }

    /// The fields of every answer to a trigger with at least one device.
    private struct Sent: Decodable {
        let ok: Bool
        let attempted: Int
        let sent: Int
        let pruned: Int
        let excluded: Int
        let preview_included: Bool
    }

    private struct Refused: Decodable {
        let error: String
    }

    @Test("The answers to registering and unregistering have every member with its type")
    func registration() async throws {
        let bench = try Bench()
        let registered: Registered = try await bench.register().decoded()
        #expect(registered.ok && registered.server_key == Call.serverKey && registered.agent_key == Bench.agentKey)
        let one: Unregistered = try await bench.unregister(.unregister(cwd: "/srv/app")).decoded()
        let all: Unregistered = try await bench.unregister(.unregister()).decoded()
        #expect(one.ok && one.deleted == 1 && all.ok && all.deleted == 0)
    }

    @Test("The answer to a trigger has every member with its type, for any outcome")
    func trigger() async throws {
        let bench = try Bench(
            ScriptedTransport { sent in
                switch sent.token {
                case "dead": .dead
                case "busy": .busy(retryAfter: .seconds(600))
                default: .accepted
                }
            })
        let unknown: Triggered = try await bench.trigger().decoded()
        #expect(unknown.ok && unknown.attempted == 0 && unknown.reason == "unknown_server")
        try await bench.running {
            for token in ["good", "dead", "busy"] { _ = try await bench.register(.register(token, token: token)) }
            let answer = try await bench.trigger()
            let sent: Sent = try answer.decoded()
            let triggered: Triggered = try answer.decoded()
            #expect(sent.ok && sent.attempted == 3 && sent.sent == 1 && sent.pruned == 1 && !sent.preview_included)
            #expect(triggered.pending == 1 && triggered.errors?.count == 2 && triggered.reason == nil)
        }
        for installation in ["good", "busy"] { _ = try await bench.unregister(.unregister(installation)) }
        let nobody: Triggered = try await bench.trigger().decoded()
        #expect(nobody.ok && nobody.attempted == 0 && nobody.excluded == 0 && nobody.errors == nil)
    }

    @Test("The answer to a refused request has its error code")
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
