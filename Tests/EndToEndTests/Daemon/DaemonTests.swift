import APNsSimulator
import JSON
import TestSupport
import Testing

/// The gateway is a process of its own: what is timed here is its answer, not how busy the tests are.
@Suite(
    "The daemon in the field", .timeLimit(.minutes(1)),
    .enabled(if: PythonDaemon.interpreter != nil, "needs python3"))
struct DaemonTests {
    private static let reply: JSONValue = [
        "cwd": "/srv/größe", "conversation_id": "c-1", "message_preview": "Grüße 👋🏽\n\n完了: 3 tests",
        "finished_at": "2026-01-31T12:00:00Z",
    ]

    @Test(
        "reaches its phone unchanged, whatever the base URL ends in",
        arguments: ["", "/", "/demo/us-central1", "/demo/us-central1/", "/push"])
    func baseURL(suffix: String) async throws {
        try await withTemporaryDirectory { parent in
            try await ServingProcess.running(in: parent + "/data") { serving in
                let daemon = Daemon(serving.caller)
                try await daemon.register(
                    "phone", token: "emulated:phone", cwd: "/srv/größe", ["agent_display_name": "Größe @ server"])
                let result = try await PythonDaemon(baseURL: serving.caller.url + suffix, secret: daemon.secret)
                    .trigger(Self.reply)
                #expect(result["status"] == 200)
                #expect(
                    result["answer"] == [
                        "ok": true, "attempted": 1, "sent": 1, "pruned": 0, "excluded": 0, "preview_included": true,
                    ])
                let inbox = try await serving.inbox()
                #expect(inbox.count == 1)
                let message = try #require(inbox.first?["message"])
                #expect(message["notification"] == ["title": "Größe @ server", "body": "Grüße 👋🏽 完了: 3 tests"])
                #expect(message["data"]?["cwd"] == "/srv/größe")
                #expect(message["data"]?["conversation_id"] == "c-1")
                #expect(message["data"]?["finished_at"] == nil)
            }
        }
    }

    @Test(
        "is answered in time when Apple hangs, and the agent's other phones get theirs",
        arguments: [false, true])
    func hangingAPNs(isConnected: Bool) async throws {
        try await withStage { apns, serving in
            let daemon = Daemon(serving.caller)
            let tokens = (0..<3).map { _ in String.randomToken() }
            for (index, token) in tokens.enumerated() {
                try await daemon.register("phone-\(index)", token: token, cwd: "/srv/größe")
            }
            if isConnected { #expect(try await daemon.trigger(cwd: "/srv/größe").body["sent"] == 3) }
            apns.simulator.reset()
            // Whichever comes first.
            apns.simulator.script(token: nil, answers: [.accepting(after: .seconds(30))])
            let result = try await PythonDaemon(baseURL: serving.caller.url, secret: daemon.secret)
                .trigger(Self.reply)
            let answer = try #require(result["answer"])
            let (sent, pending) = (try #require(answer["sent"]?.integer), try #require(answer["pending"]?.integer))
            #expect(answer["ok"] == true && answer["attempted"] == 3 && sent + pending == 3 && pending > 0)
            // A fresh connection whose first answer hangs is given half a second, and its successor a busy machine's time.
            if isConnected { #expect(sent == 2) }
            // Long before Apple, or the deadline, would have ended it.
            #expect(try #require(result["seconds"]?.double) < 15)
            #expect(Set(try await apns.simulator.wait(for: 3).compactMap(\.token)) == Set(tokens))
        }
    }

    private func withStage(_ body: (RunningSimulator, ServingProcess) async throws -> Void) async throws {
        try await withSimulator { apns in
            try await withTemporaryDirectory { parent in
                try await ServingProcess.running(in: parent + "/data", apns.gatewaySettings) { serving in
                    try await body(apns, serving)
                }
            }
        }
    }

    @Test("is told in its answer that nobody has registered, and nothing is made of it")
    func unknownServer() async throws {
        try await withTemporaryDirectory { parent in
            try await ServingProcess.running(in: parent + "/data") { serving in
                let result = try await PythonDaemon(baseURL: serving.caller.url, secret: .randomSecret())
                    .trigger(Self.reply)
                #expect(
                    result["answer"] == [
                        "ok": true, "attempted": 0, "sent": 0, "excluded": 0, "reason": "unknown_server",
                    ])
                #expect(try await serving.collections() == [])
            }
        }
    }
}
