import DocumentStore
import Messaging
import TestDoubles
import Testing

@Suite("Deleting settled messages")
struct OutboxRetentionTests {
    private static let week = Duration.seconds(7 * 86_400)

    private func sweep(_ bench: Bench) async throws -> Int {
        let clock = bench.clock
        return try await OutboxRetention(store: bench.store, maximumAge: Self.week, now: { clock.timestamp }).sweep()
    }

    private func isThere(_ delivery: Delivery, _ bench: Bench) async throws -> Bool {
        let message = try await bench.disk.documents.document(at: DocumentPath("messages/\(delivery.messageID)"))
        let chunks = try await bench.chunks(of: delivery.messageID)
        #expect((message == nil) == chunks.isEmpty)
        return message != nil
    }

    @Test("A message is deleted when all its chunks have been settled for a week and not before")
    func age() async throws {
        let bench = try Bench(ScriptedTransport { $0.token == "busy" ? .busy : .accepted })
        try await bench.running {
            let settled = try await bench.outbox.accept(.sample(tokens: (0..<600).map { "t\($0)" }))
            try await bench.settled(settled)
            // One chunk settles and the other does not.
            let half = try await bench.outbox.accept(
                .sample(
                    Multicast.sample(tokens: ["good"], topic: "a").targets
                        + Multicast.sample(tokens: ["busy"], topic: "b").targets, lifetime: Self.week * 10))
            try await eventually("one chunk settles") { half.progress.sent == 1 }
            bench.clock.advance(by: Self.week)
            #expect(try await sweep(bench) == 0)
            #expect(try await isThere(settled, bench))
            bench.clock.advance(by: .seconds(1))
            #expect(try await sweep(bench) == 1)
            #expect(try await !isThere(settled, bench))
            #expect(try await isThere(half, bench))
            #expect(try await sweep(bench) == 0)
        }
    }

    @Test("Hundreds of old messages are deleted in one sweep, and a young one stays")
    func many() async throws {
        let bench = try Bench()
        try await bench.running {
            var deliveries: [Delivery] = []
            for number in 0..<250 { deliveries.append(try await bench.outbox.accept(.sample(tokens: ["t\(number)"]))) }
            for delivery in deliveries { try await bench.settled(delivery) }
            bench.clock.advance(by: Self.week + .seconds(1))
            let young = try await bench.outbox.accept(.sample(tokens: ["young"]))
            try await bench.settled(young)
            #expect(try await sweep(bench) == 250)
            for delivery in deliveries { #expect(try await !isThere(delivery, bench)) }
            #expect(try await isThere(young, bench))
        }
    }

    @Test("A topic message stays while it is being cut into chunks, however old its chunks are")
    func broadcast() async throws {
        let bench = try Bench()
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample(tokens: ["phone"]))
            try await bench.settled(delivery)
            let broadcast = try DocumentPath("broadcasts/\(delivery.messageID)")
            _ = try await bench.disk.documents.commit([.set(broadcast, [:])])
            bench.clock.advance(by: Self.week * 2)
            #expect(try await sweep(bench) == 0)
            #expect(try await isThere(delivery, bench))
            _ = try await bench.disk.documents.commit([.delete(broadcast)])
            #expect(try await sweep(bench) == 1)
            #expect(try await !isThere(delivery, bench))
        }
    }

    @Test("Foreign documents in collections named messages stay")
    func foreign() async throws {
        let bench = try Bench()
        let path = try DocumentPath("rooms/1/messages/2")
        _ = try await bench.disk.documents.commit([.set(path, ["settledAt": .timestamp(bench.clock.timestamp)])])
        bench.clock.advance(by: Self.week * 2)
        #expect(try await sweep(bench) == 0)
        #expect(try await bench.disk.documents.document(at: path) != nil)
    }

    @Test("An unreadable message stays and does not prevent the deletion of others")
    func unreadable() async throws {
        let bench = try Bench()
        try await bench.running {
            let targets = ["a", "b"].flatMap { Multicast.sample(tokens: ["phone"], topic: $0).targets }
            let damaged = try await bench.outbox.accept(.sample(targets))
            try await bench.settled(damaged)
            let other = try await bench.outbox.accept(.sample(tokens: ["phone"]))
            try await bench.settled(other)
            try await bench.disk.damage(DocumentPath("messages/\(damaged.messageID)"))
            bench.clock.advance(by: Self.week * 2)
            #expect(try await sweep(bench) == 1)
            #expect(try await !isThere(other, bench))
        }
    }
}
