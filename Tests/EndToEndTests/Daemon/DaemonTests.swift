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
        try await ServingProcess.running { serving in
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

    @Test("is answered in time when Apple hangs, and the agent's other phones get theirs")
    func hangingAPNs() async throws {
        try await withStage { apns, serving in
            let daemon = Daemon(serving.caller)
            let tokens = try await register(3, with: daemon)
            #expect(try await daemon.trigger(cwd: "/srv/größe").body["sent"] == 3)
            apns.simulator.reset()
            // Whichever comes first.
            apns.simulator.script(token: nil, answers: [.accepting(after: .seconds(30))])
            let result = try await PythonDaemon(baseURL: serving.caller.url, secret: daemon.secret)
                .trigger(Self.reply)
            #expect(
                result["answer"] == [
                    "ok": true, "attempted": 3, "sent": 2, "pruned": 0, "excluded": 0, "preview_included": true,
                    "pending": 1,
                ])
            #expect(try #require(result["seconds"]?.double) < 2.5)
            #expect(Set(try await apns.simulator.wait(for: 3).compactMap(\.token)) == tokens)
        }
    }

    /// Where Apple has not answered anything yet, the others wait half a second and then go over a second connection. A
    /// busy machine takes its time to open that, so the answer is given some; how long the others wait is
    /// `ConnectionPoolTests`' business.
    @Test("gets the agent's other phones theirs when the first answer of all hangs")
    func hangingFirstAnswer() async throws {
        try await withStage(["functions.codeagents.triggerWait": "10s"]) { apns, serving in
            let daemon = Daemon(serving.caller)
            let tokens = try await register(3, with: daemon)
            apns.simulator.script(token: nil, answers: [.accepting(after: .seconds(30))])
            let result = try await PythonDaemon(baseURL: serving.caller.url, secret: daemon.secret)
                .trigger(Self.reply, patience: 18)
            #expect(
                result["answer"] == [
                    "ok": true, "attempted": 3, "sent": 2, "pruned": 0, "excluded": 0, "preview_included": true,
                    "pending": 1,
                ])
            #expect(Set(apns.simulator.received().compactMap(\.token)) == tokens)
        }
    }

    /// - Returns: the devices' tokens.
    private func register(_ count: Int, with daemon: Daemon) async throws -> Set<String> {
        let tokens = (0..<count).map { _ in String.randomToken() }
        for (index, token) in tokens.enumerated() {
            try await daemon.register("phone-\(index)", token: token, cwd: "/srv/größe")
        }
        return Set(tokens)
    }

    private func withStage(
        _ settings: [String: String] = [:], _ body: (RunningSimulator, ServingProcess) async throws -> Void
    ) async throws {
        try await withSimulator { apns in
            try await ServingProcess.running(apns.gatewaySettings.merging(settings) { $1 }) {
                try await body(apns, $0)
            }
        }
    }

    @Test("is told in its answer that nobody has registered, and nothing is made of it")
    func unknownServer() async throws {
        try await ServingProcess.running { serving in
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
