import DocumentStore
import TestDoubles
import Testing

@testable import Messaging

@Suite("The share of one owner")
struct OwnerShareTests {
    private static let week = Duration.seconds(7 * 86_400)

    private func retention(_ bench: Bench, bytes: Int) -> OutboxRetention {
        let clock = bench.clock
        return OutboxRetention(
            store: bench.store, maximumAge: Self.week, maximumBytesPerOwner: bytes, now: { clock.timestamp })
    }

    /// Sends messages of an owner, one per second, and waits until they settle.
    private func send(_ count: Int, of owner: String, _ bench: Bench) async throws -> [String] {
        var ids: [String] = []
        for number in 0..<count {
            var draft = Draft.sample()
            draft.owner = owner
            let delivery = try await bench.outbox.accept(
                draft, to: Multicast.sample(tokens: ["\(owner)-\(number)"]).targets)
            try await bench.settled(delivery)
            ids.append(delivery.messageID)
            bench.clock.advance(by: .seconds(1))
        }
        return ids
    }

    private func kept(_ ids: [String], _ bench: Bench) async throws -> [String] {
        var kept: [String] = []
        for id in ids where try await bench.disk.documents.document(at: DocumentPath("messages/\(id)")) != nil {
            kept.append(id)
        }
        return kept
    }

    private func bytes(_ id: String, _ bench: Bench) async throws -> Int {
        Int(try #require(try await bench.chunk(id)["bytes"]?.integer))
    }

    @Test("Settled messages beyond an owner's share are deleted, oldest first, and other owners keep theirs")
    func oldestFirst() async throws {
        let bench = try Bench()
        try await bench.running {
            let others = try await send(3, of: "b", bench)
            let own = try await send(20, of: "a", bench)
            let one = try await bytes(try #require(own.first), bench)
            bench.clock.advance(by: .seconds(60))
            let retention = retention(bench, bytes: 5 * one + one / 2)
            #expect(try await retention.sweep() == 15)
            #expect(try await kept(own, bench) == Array(own.suffix(5)))
            #expect(try await kept(others, bench) == others)
            #expect(try await retention.sweep() == 0)
            let more = try await send(4, of: "a", bench)
            bench.clock.advance(by: .seconds(60))
            #expect(try await retention.sweep() == 4)
            #expect(try await kept(own + more, bench) == Array(own.suffix(1)) + more)
        }
    }

    @Test("The oldest messages are deleted first even if they exceed one read")
    func manyBatches() async throws {
        let bench = try Bench()
        try await bench.running {
            let own = try await send(120, of: "a", bench)
            let one = try await bytes(try #require(own.first), bench)
            bench.clock.advance(by: .seconds(60))
            let retention = retention(bench, bytes: 110 * one)
            #expect(try await retention.sweep() == 10)
            let more = try await send(5, of: "a", bench)
            bench.clock.advance(by: .seconds(60))
            #expect(try await retention.sweep() == 5)
            #expect(try await kept(own + more, bench) == Array(own.suffix(105)) + more)
        }
    }

    @Test("A restarted process counts the stored messages of an owner")
    func restart() async throws {
        let bench = try Bench()
        try await bench.running {
            let own = try await send(230, of: "a", bench)
            let one = try await bytes(try #require(own.first), bench)
            bench.clock.advance(by: .seconds(60))
            #expect(try await retention(bench, bytes: 210 * one).sweep() == 20)
            #expect(try await retention(bench, bytes: 100 * one).sweep() == 110)
            #expect(try await kept(own, bench) == Array(own.suffix(100)))
        }
    }

    @Test("Unsettled messages, and those of older versions, stay regardless of their owner's share")
    func unsettled() async throws {
        let bench = try Bench(ScriptedTransport { $0.token == "busy" ? .busy : .accepted })
        try await bench.running {
            let half = try await bench.outbox.accept(
                .sample(
                    Multicast.sample(tokens: ["good"], topic: "a").targets
                        + Multicast.sample(tokens: ["busy"], topic: "b").targets))
            try await eventually("one chunk settles") { half.progress.sent == 1 }
            let old = try await send(1, of: "test", bench)
            let path = try DocumentPath("messages/\(try #require(old.first))")
            _ = try await bench.disk.documents.commit([
                .merge(path, [:], mask: [FieldPath("bytes"), FieldPath("owner")])
            ])
            bench.clock.advance(by: .seconds(60))
            #expect(try await retention(bench, bytes: 1).sweep() == 0)
            #expect(try await kept([half.messageID] + old, bench) == [half.messageID] + old)
        }
    }

    @Test("Nothing is deleted without a limit per owner")
    func lifted() async throws {
        let bench = try Bench()
        try await bench.running {
            _ = try await send(3, of: "a", bench)
            bench.clock.advance(by: .seconds(60))
            #expect(try await retention(bench, bytes: 0).sweep() == 0)
        }
    }

    @Test("The ledger adds and removes chunks, and ignores the removal of a chunk never added")
    func ledger() {
        let time = ManualClock.start
        let chunk = { (owner: String, seconds: Int) in
            SettledChunk(owner: owner, bytes: 10, settledAt: time.adding(.seconds(seconds)))
        }
        var ledger = OwnerLedger(limit: 25)
        ledger.add([chunk("a", 0), chunk("a", 1), chunk("b", 2)], through: time.adding(.seconds(5)))
        #expect(ledger.over.isEmpty)
        ledger.add([chunk("a", 6)], through: time.adding(.seconds(6)))
        #expect(ledger.over == ["a"])
        ledger.remove([chunk("a", 7)])
        #expect(ledger.over == ["a"])
        ledger.remove([chunk("a", 0)])
        #expect(ledger.over.isEmpty)
    }

}
