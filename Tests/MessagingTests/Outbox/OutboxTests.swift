import DocumentStore
import JSON
import Messaging
import TestDoubles
import Testing

@Suite("Accepting a multicast")
struct OutboxTests {
    @Test("A message without a lifetime expires after 30 days")
    func defaultLifetime() async throws {
        let bench = try Bench()
        let phone = try await bench.register("phone", token: "token-1")
        let delivery = try await bench.outbox.accept(.sample([phone], lifetime: nil))
        let message = try await bench.disk.documents.document(at: DocumentPath("messages/\(delivery.messageID)"))
        #expect(message?["expiresAt"] == .timestamp(ManualClock.start.adding(.seconds(30 * 86_400))))
    }

    @Test("Accepting a message stores exactly the expected document before it returns")
    func documents() async throws {
        let bench = try Bench()
        let phone = try await bench.register("phone", token: "token-1")
        let other = Target(address: PushAddress(token: "token-2"), registration: nil)
        let delivery = try await bench.outbox.accept(.sample([phone, other], lifetime: .seconds(60)))

        let message = try await bench.disk.documents.document(at: DocumentPath("messages/\(delivery.messageID)"))
        let expected: Fields =
            [
                "message": .string(Message.sample().json.text), "source": "test", "owner": "test",
                "tokenField": "token",
                "environmentField": "environment",
                "acceptedAt": .timestamp(ManualClock.start),
                "expiresAt": .timestamp(ManualClock.start.adding(.seconds(60))), "targetCount": .integer(2),
                "chunkCount": .integer(1),
                "transport": "fcm", "attempts": .integer(0),
                "collapseKey": "e3a6bb576c13712c1e367a60a92cdc28",
                "dueAt": .timestamp(ManualClock.start),
                "registrations": "devices",
                "queue": "fcm// 2026-01-01T00:00:00.000000Z",
                "targets": .array([
                    .map(["state": "pending", "token": "token-1", "device": "phone"]),
                    .map(["state": "pending", "token": "token-2"]),
                ]),
            ]
        #expect(message?.fields == expected)
        #expect(bench.transport.sent.isEmpty)
    }

    @Test("Messages are stored in the order of acceptance")
    func order() async throws {
        let bench = try Bench()
        var ids: [String] = []
        for _ in 0..<10 {
            ids.append(try await bench.outbox.accept(.sample(tokens: ["a"])).messageID)
            bench.clock.advance(by: .microseconds(1))
        }
        let stored = try await bench.disk.documents.documents(matching: .collection(CollectionPath("messages")))
        #expect(stored.map(\.path.id) == ids)
    }

    @Test("Topic and environment are stored with their chunk")
    func lane() async throws {
        let bench = try Bench()
        let token = String(repeating: "0f", count: 32)
        let address = PushAddress(
            token: token, app: AppIdentity(bundleID: "com.example.app", environment: "production"))
        let delivery = try await bench.outbox.accept(.sample([Target(address: address, registration: nil)]))
        let chunk = try await bench.chunk(delivery.messageID)
        #expect(chunk["transport"] == "apns")
        #expect(chunk["topic"] == "com.example.app")
        #expect(chunk["environment"] == "production")
    }

    @Test("The caller's writes are in the same commit as the message")
    func alongside() async throws {
        let bench = try Bench()
        let path = try DocumentPath("servers/1")
        let delivery = try await bench.outbox.accept(.sample(tokens: ["a"]), alongside: [.set(path, ["seen": true])])
        let server = try await bench.disk.documents.document(at: path)
        let chunk = try await bench.chunk(delivery.messageID)
        #expect(server?.updateTime == chunk.updateTime)
        #expect(server?["seen"] == true)
    }

    @Test("A failed commit accepts nothing and sends nothing")
    func failure() async throws {
        let bench = try Bench()
        try await bench.running {
            let missing = try DocumentPath("servers/none")
            await #expect(throws: StoreError.self) {
                try await bench.outbox.accept(.sample(tokens: ["lost"]), alongside: [.update(missing, ["a": true])])
            }
            let delivery = try await bench.outbox.accept(.sample(tokens: ["kept"]))
            try await bench.settled(delivery)
            bench.clock.advance(by: .seconds(5))
            try await bench.settled(try await bench.outbox.accept(.sample(tokens: ["later"])))
        }
        #expect(bench.transport.tokens == ["kept", "later"])
        let messages = try await bench.disk.documents.documents(matching: .collection(CollectionPath("messages")))
        #expect(messages.count == 2)
        #expect(try await bench.disk.documents.document(at: DocumentPath("servers/none")) == nil)
    }

    @Test("A multicast without targets settles at once and stores only the caller's writes")
    func nobody() async throws {
        let bench = try Bench()
        let path = try DocumentPath("servers/1")
        let delivery = try await bench.outbox.accept(.sample([]), alongside: [.set(path, ["a": .integer(1)])])
        let messages = try await bench.disk.documents.documents(matching: .collection(CollectionPath("messages")))
        #expect(messages.isEmpty)
        #expect(try await bench.disk.documents.document(at: path)?.fields == ["a": .integer(1)])
        let progress = try await delivery.progress(waiting: .seconds(60))
        #expect(progress.attempted == 0)
        #expect(progress.pending == 0)
    }
}
