import DocumentStore
import Messaging
import TestDoubles
import Testing

@Suite("Checkpoints of a chunk in flight")
struct CheckpointTests {
    private static func transport(_ gate: Gate) -> ScriptedTransport {
        ScriptedTransport { sent in
            if sent.token == "slow" { await gate.pass() }
            return sent.token == "dead" ? .dead : .accepted
        }
    }

    @Test("Outcomes are stored and reported while one target hangs")
    func whileOneHangs() async throws {
        let gate = Gate()
        let bench = try Bench(Self.transport(gate))
        let dead = try await bench.register("phone", token: "dead")
        try await bench.running {
            let targets = Multicast.sample(tokens: ["slow", "a", "b"]).targets + [dead]
            let delivery = try await bench.outbox.accept(.sample(targets))
            try await eventually("the checkpoint is reported", advancing: bench.clock, by: .milliseconds(250)) {
                delivery.progress.sent == 2
            }
            #expect(delivery.progress.pruned == 1)
            #expect(delivery.progress.pending == 1)
            #expect(try await !bench.exists(dead))
            let chunk = try await bench.chunk(delivery.messageID)
            #expect(chunk.targetStates == ["pending", "accepted", "accepted", "rejected"])
            #expect(chunk.targets.map { $0["token"] } == ["slow", nil, nil, nil])
            #expect(chunk["attempts"] == .integer(0))
            #expect(chunk["settledAt"] == nil)
            gate.open()
            try await bench.settled(delivery)
            try await eventually("all outcomes are counted") { delivery.progress.sent == 3 }
            #expect(delivery.progress.pruned == 1)
            #expect(delivery.progress.pending == 0)
        }
        #expect(bench.transport.sent.count == 4)
    }

    @Test("An outcome is stored by the next checkpoint, half a second apart, while another target hangs")
    func interval() async throws {
        let gate = Gate()
        let bench = try Bench(Self.transport(gate))
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample(tokens: ["a", "slow"]))
            try await eventually("one answer is there, and the checkpoint is set") {
                bench.transport.underWay == 1 && bench.transport.sent.count == 2
                    && bench.clock.pendingSleeps.contains { $0 <= .milliseconds(500) }
            }
            // An outcome that comes to the attempt after a checkpoint is stored by the next one.
            try await eventually("the outcome is stored", advancing: bench.clock, by: .milliseconds(500)) {
                try await bench.chunk(delivery.messageID).targetStates == ["accepted", "pending"]
            }
            gate.open()
            try await bench.settled(delivery)
        }
    }

    @Test("A checkpoint that is being stored while the last target settles loses no outcome")
    func overtaken() async throws {
        let (slow, disk) = (Gate(), Gate())
        let bench = try Bench(Self.transport(slow))
        let dead = try await bench.register("phone", token: "dead")
        let registration = try #require(dead.registration)
        bench.store.set { hooks in
            hooks.beforeRead = { paths in if paths == [registration] { await disk.pass() } }
        }
        try await bench.running {
            let targets = Multicast.sample(tokens: ["slow", "a", "b"]).targets + [dead]
            let delivery = try await bench.outbox.accept(.sample(targets))
            try await eventually("a checkpoint is being stored", advancing: bench.clock, by: .milliseconds(250)) {
                disk.waiting == 1
            }
            slow.open()
            try await eventually("the last target has its outcome") { bench.transport.underWay == 0 }
            // Only the checkpoint of the attempt is missing. The dispatcher now has time to cut it short, and must
            // not do so.
            for _ in 0..<50 where disk.waiting == 1 { try await Task.sleep(for: .milliseconds(1)) }
            disk.open()
            try await bench.settled(delivery)
            try await eventually("all outcomes are counted") { delivery.progress.pending == 0 }
            #expect(delivery.progress.sent == 3)
            #expect(delivery.progress.pruned == 1)
            #expect(try await !bench.exists(dead))
        }
    }

    @Test("After a crash, only the targets pending at the last checkpoint are sent again")
    func crash() async throws {
        let gate = Gate()
        let bench = try Bench(Self.transport(gate))
        var messageID = ""
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample(tokens: ["a", "slow", "b"]))
            messageID = delivery.messageID
            try await eventually("the checkpoint is stored", advancing: bench.clock, by: .milliseconds(250)) {
                try await bench.chunk(messageID).targetStates == ["accepted", "pending", "accepted"]
            }
            bench.store.set { $0.beforeCommit = { _ throws(StoreError) in throw .diskFull } }
        }
        let next = try Bench(on: bench)
        try await next.running { try await eventually("the message settles") { try await next.isSettled(messageID) } }
        #expect(next.transport.tokens == ["slow"])
        #expect(next.transport.sent.first?.id == bench.transport.sent.first { $0.token == "slow" }?.id)
    }
}
