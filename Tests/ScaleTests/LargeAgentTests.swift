import APNsSimulator
import Cryptography
import DocumentStore
import Gateway
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("Agent with 1,200 devices", .timeLimit(.minutes(10)))
struct LargeAgentTests {
    private static let cwd = "/srv/large"
    private static let agentKey = SHA256.hexadecimal(of: cwd)
    private let tokens = (0..<1_200).map { _ in String.randomToken() }

    @Test("A trigger for 1,200 devices is sent in three chunks, removes a dead device, and keeps one registered since")
    func multicast() async throws {
        try await withSimulator { apns in
            try await withGateway(
                ["functions.codeagents.triggerWait": "30s"], simulator: apns
            ) { gateway in
                let daemon = Daemon(gateway.caller)
                try await register(daemon)
                kill(3, apns.simulator, millisecondsFromNow: 3_600_000)
                kill(700, apns.simulator, millisecondsFromNow: -3_600_000)
                let answer = try await daemon.trigger(cwd: Self.cwd, preview: "Done.")
                #expect(
                    answer.body == [
                        "ok": true, "attempted": 1_200, "sent": 1_198, "pruned": 1, "excluded": 0,
                        "preview_included": true, "errors": ["messaging/registration-token-not-registered": 2],
                    ])
                try expectNotifications(apns.simulator.received())
                try await expectChunks(gateway.gateway.store)
                try await expectPruning(gateway.gateway.store, serverKey: SHA256.hexadecimal(of: daemon.secret))
            }
        }
    }

    private func register(_ daemon: Daemon) async throws {
        let answers = try await concurrently(Array(tokens.enumerated()), limit: 32) { index, token in
            try await daemon.register("phone-\(index)", token: token, cwd: Self.cwd)
        }
        #expect(answers.allSatisfy { $0.status == 200 })
    }

    /// Scripts a 410 for the device with the given time.
    private func kill(_ index: Int, _ simulator: APNsSimulator, millisecondsFromNow: Int64) {
        let time = Timestamp.now.microseconds / 1_000 + millisecondsFromNow
        simulator.script(token: tokens[index], answers: [.rejecting(.unregistered, timestamp: time)])
    }

    private func expectNotifications(_ received: [ReceivedNotification]) throws {
        #expect(received.count == 1_200)
        #expect(Set(received.compactMap(\.token)) == Set(tokens))
        #expect(Set(received.map(\.apnsID)).count == 1_200)
        #expect(Set(received.map(\.collapseID)) == [Self.agentKey])
    }

    private func expectChunks(_ store: any DocumentStore) async throws {
        let messages = try await store.documents(matching: .collection(CollectionPath("messages")))
        #expect(messages.count == 1)
        let message = try #require(messages.first)
        #expect(message["targetCount"] == .integer(1_200))
        let further = try message.path.collection("messages")
        var chunks: [Document] = []
        try await eventually("all chunks are settled") {
            chunks = try await store.documents(matching: .collection(further))
            return chunks.allSatisfy { $0["settledAt"] != nil && $0["dueAt"] == nil }
        }
        #expect(chunks.map(\.settledStates.count) == [500, 500, 200])
        let states = chunks.flatMap(\.settledStates)
        #expect(states.filter { $0 == "accepted" }.count == 1_198)
        #expect(states.filter { $0 == "rejected" }.count == 2)
    }

    private func expectPruning(_ store: any DocumentStore, serverKey: String) async throws {
        let devices = try CollectionPath("servers/\(serverKey)/agents/\(Self.agentKey)/devices")
        #expect(try await store.count(.collection(devices)) == 1_199)
        #expect(try await store.document(at: devices.document("phone-3")) == nil)
        #expect(try await store.document(at: devices.document("phone-700"))?["fcmToken"] == .string(tokens[700]))
    }
}
