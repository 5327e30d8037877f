import DocumentStore
import TestDoubles
import Testing

@testable import Messaging

@Suite("Messages of an older version with chunks in a subcollection", .timeLimit(.minutes(10)))
struct OutboxUpgradeTests {
    private let bench: Bench

    init() throws { bench = try Bench() }

    /// Accepts a message with a chunk for each of two apps, and stores it in the form of older versions.
    private func accept(_ tokens: [String]) async throws -> String {
        let targets = ["a", "b"].flatMap { Multicast.sample(tokens: tokens, topic: $0).targets }
        let id = try await bench.outbox.accept(.sample(targets)).messageID
        try await moveBack(id)
        return id
    }

    private func moveBack(_ id: String) async throws {
        let message = try OutboxDocuments.messagePath(id)
        for (number, chunk) in try await bench.chunks(of: id).enumerated() {
            let old = try message.document(String(number), in: "chunks")
            var fields = chunk.fields
            if chunk.path == message {
                let accepted = try AcceptedMessage(document: chunk).fields
                fields = fields.filter { $0.key == "owner" || accepted[$0.key] == nil }
                _ = try await bench.disk.documents.commit([.set(message, accepted), .set(old, fields)])
            } else {
                _ = try await bench.disk.documents.commit([.delete(chunk.path), .set(old, fields)])
            }
        }
    }

    @Test("Messages of an older version are sent at the start under their ids and moved to the new place")
    func queued() async throws {
        var ids: [String] = []
        for number in 0..<120 { ids.append(try await accept(["t\(number)"])) }
        let foreign = try DocumentPath("videos/1/chunks/2")
        _ = try await bench.disk.documents.commit([.set(foreign, ["queue": "fcm// 2026"])])
        let next = try Bench(on: bench)
        try await next.running {
            for id in ids { try await eventually("the message settles") { try await next.isSettled(id) } }
        }
        let expected = ids.flatMap { id in
            [0, 1].map { NotificationID(chunk: ChunkID(message: id, number: $0), index: 0) }
        }
        #expect(next.transport.sent.map(\.id).sorted() == expected.sorted())
        let left = try await bench.disk.documents.documents(matching: .collectionGroup("chunks"))
        #expect(left.map(\.path) == [foreign])
        #expect(next.log.lines.contains { $0.hasPrefix("notice upgraded the outbox of an older version") })
    }

    @Test("Old messages of an older version are deleted after all their chunks have been moved")
    func settled() async throws {
        let clock = bench.clock
        let retention = OutboxRetention(store: bench.store, maximumAge: .seconds(60), now: { clock.timestamp })
        let delivery = try await bench.outbox.accept(.sample(tokens: ["a"]))
        try await bench.running { try await bench.settled(delivery) }
        try await moveBack(delivery.messageID)
        clock.advance(by: .seconds(61))
        #expect(try await retention.sweep() == 0)
        #expect(try await OutboxUpgrade(store: bench.store).run() == 1)
        let record = try await DeliveryHistory(store: bench.store).delivery(of: delivery.messageID)
        #expect(record?.accepted == 1)
        #expect(try await retention.sweep() == 1)
        #expect(try await bench.disk.documents.documents(matching: .collectionGroup("messages")).isEmpty)
    }
}

extension [NotificationID] {
    fileprivate func sorted() -> [String] { map(\.description).sorted() }
}
