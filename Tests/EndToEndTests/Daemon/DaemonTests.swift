import APNsSimulator
import JSON
import TestSupport
import Testing

/// The gateway is a process of its own, so the test times its answer and not the load of other tests.
@Suite(
    "Daemon in the field", .timeLimit(.minutes(10)),
    .enabled(if: PythonDaemon.interpreter != nil, "needs python3"))
struct DaemonTests {
    private static let reply: JSONValue = [
        "cwd": "/srv/größe", "conversation_id": "c-1", "message_preview": "Grüße 👋🏽\n\n完了: 3 tests",
        "finished_at": "2026-01-31T12:00:00Z",
    ]

    @Test(
        "A daemon's notification reaches its device unchanged, with any end of the base URL",
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

    @Test("A daemon is answered in time while Apple hangs, and the agent's other devices are notified")
    func hangingAPNs() async throws {
        try await withStage { apns, serving in
            let daemon = Daemon(serving.caller)
            let tokens = try await register(3, with: daemon)
            #expect(try await daemon.trigger(cwd: "/srv/größe").body["sent"] == 3)
            apns.simulator.reset()
            // The first request hangs, for any of the devices.
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

    /// Until Apple has answered something, the other requests wait for half a second and then use a second
    /// connection. A busy machine takes time to open that, so the answer may take longer. `ConnectionStateTests`
    /// tests how long the others wait.
    @Test("A first answer that hangs does not keep the agent's other devices from their notifications")
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

    /// - Returns: The device tokens.
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

    @Test("A daemon without registrations is answered with unknown_server, and nothing is stored")
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
