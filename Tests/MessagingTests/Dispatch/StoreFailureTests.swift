import DocumentStore
import Messaging
import Synchronization
import TestDoubles
import Testing

@Suite("A store that fails while outcomes are stored")
struct StoreFailureTests {
    @Test("Storing outcomes is retried until it succeeds, and only then are they reported")
    func retried() async throws {
        let bench = try Bench(ScriptedTransport { $0.token == "dead" ? .dead : .accepted })
        let dead = try await bench.register("phone", token: "dead")
        let refusals = Mutex(0)
        bench.store.set { hooks in
            hooks.beforeCommit = { writes throws(StoreError) in
                guard writes.contains(where: { $0.isOfChunk && $0.precondition == nil }) else { return }
                refusals.withLock { $0 += 1 }
                throw .diskFull
            }
        }
        try await bench.running {
            let targets = Multicast.sample(tokens: ["a", "b"]).targets + [dead]
            let delivery = try await bench.outbox.accept(.sample(targets))
            try await eventually("the commit is refused repeatedly", advancing: bench.clock, by: .seconds(1)) {
                refusals.withLock { $0 } >= 5
            }
            #expect(delivery.progress.sent == 0)
            #expect(delivery.progress.pending == 3)
            bench.store.set { $0.beforeCommit = { _ in } }
            try await eventually("the outcome is stored", advancing: bench.clock, by: .seconds(1)) {
                try await bench.isSettled(delivery.messageID)
            }
            try await eventually("the outcomes are reported") { delivery.progress.pending == 0 }
            #expect(delivery.progress.sent == 2)
            #expect(delivery.progress.pruned == 1)
        }
        #expect(bench.transport.sent.count == 3)
        #expect(bench.log.lines.contains { $0.contains("failed to persist delivery results") })
    }

    @Test("A refused commit of outcomes is tried again only after a pause")
    func pause() async throws {
        let bench = try Bench()
        let refusals = Mutex(0)
        bench.store.set { hooks in
            hooks.beforeCommit = { writes throws(StoreError) in
                guard writes.contains(where: { $0.isOfChunk && $0.precondition == nil }) else { return }
                refusals.withLock { $0 += 1 }
                throw .diskFull
            }
        }
        try await bench.running {
            _ = try await bench.outbox.accept(.sample(tokens: ["a"]))
            // The reader's poll and the pause after the refusal.
            try await eventually("both sleep") { bench.clock.pendingSleeps.count == 2 }
            #expect(refusals.withLock { $0 } == 1)
        }
    }

    @Test("A registration whose removal fails is removed once the store works again")
    func pruning() async throws {
        let bench = try Bench(ScriptedTransport { _ in .dead })
        let dead = try await bench.register("phone", token: "dead")
        bench.store.set { hooks in
            hooks.beforeRead = { paths throws(StoreError) in
                if paths == [dead.registration] { throw StoreError(.unavailable, "busy") }
            }
        }
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample([dead]))
            try await eventually("the failure is reported") {
                bench.log.lines.contains { $0.contains("failed to persist delivery results") }
            }
            #expect(try await !bench.isSettled(delivery.messageID))
            bench.store.set { $0.beforeRead = { _ in } }
            try await eventually("the outcome is reported", advancing: bench.clock, by: .seconds(1)) {
                delivery.progress.pruned == 1
            }
        }
        #expect(try await !bench.exists(dead))
    }
}
