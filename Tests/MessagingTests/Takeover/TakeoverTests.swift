import DocumentStore
import Synchronization
import TestDoubles
import Testing

@testable import Messaging

/// Several gateways over one store, of which each has its own dispatcher and transport.
@Suite("Takeover")
struct TakeoverTests {
    private let cluster = TestCluster()

    private func takeover(_ topics: TopicBench, _ membership: TestMembership?) -> Takeover {
        Takeover(
            store: topics.bench.store, dispatcher: topics.bench.dispatcher, broadcaster: topics.broadcaster,
            membership: membership, clock: topics.bench.clock, logger: topics.bench.log.logger)
    }

    /// Runs a gateway with its takeover for the duration of the body.
    private func running(
        _ topics: TopicBench, _ membership: TestMembership?, _ body: () async throws -> Void
    ) async throws {
        try await takeover(topics, membership).running { try await topics.running(body) }
    }

    @Test("Each gateway sends what it has accepted, and what another one has only after that one is gone")
    func chunks() async throws {
        let (a, b) = (cluster.join("a"), cluster.join("b"))
        let first = try TopicBench(membership: a)
        let second = try TopicBench(on: first, membership: b)
        let lost = try await first.bench.outbox.accept(.sample(tokens: ["one", "two"]))
        let own = try await second.bench.outbox.accept(.sample(tokens: ["three"]))
        let clock = first.bench.clock
        try await running(second, b) {
            try await eventually("its own message is sent", advancing: clock, by: .milliseconds(100)) {
                try await second.bench.isSettled(own.messageID)
            }
            clock.advance(by: .seconds(60))
            cluster.remove("a")
            cluster.lead("b")
            try await eventually("the other's message is sent", advancing: clock, by: .milliseconds(100)) {
                try await second.bench.isSettled(lost.messageID)
            }
        }
        #expect(second.bench.transport.tokens.first == "three")
        #expect(Set(second.bench.transport.tokens) == ["one", "two", "three"])
        #expect(first.bench.transport.sent.isEmpty)
        #expect(second.bench.log.lines.contains { $0.contains("took over the messages of a gateway that is gone") })
    }

    @Test("A gateway that does not lead takes nothing over, and one that leads nothing of the living")
    func living() async throws {
        let (a, b, c) = (cluster.join("a"), cluster.join("b"), cluster.join("c"))
        let first = try TopicBench(membership: a)
        let (second, third) = (try TopicBench(on: first, membership: b), try TopicBench(on: first, membership: c))
        let waiting = try await second.bench.outbox.accept(.sample(tokens: ["of b"]))
        let gone = try await third.bench.outbox.accept(.sample(tokens: ["of c"]))
        cluster.remove("c")
        let position = try await second.bench.chunk(waiting.messageID)["queue"]
        try await running(first, a) {
            try await eventually("c's is sent", advancing: first.bench.clock, by: .milliseconds(100)) {
                try await first.bench.isSettled(gone.messageID)
            }
        }
        #expect(try await second.bench.chunk(waiting.messageID)["queue"] == position)
        #expect(first.bench.transport.tokens == ["of c"])
        cluster.remove("a")
        try await running(second, b) {
            try await eventually("its own is sent", advancing: first.bench.clock, by: .milliseconds(100)) {
                try await second.bench.isSettled(waiting.messageID)
            }
        }
        #expect(second.bench.transport.tokens == ["of b"])
    }

    @Test("A lane that the leader sends on already gets the chunks of another gateway, in batches")
    func many() async throws {
        let (a, b) = (cluster.join("a"), cluster.join("b"))
        let first = try TopicBench(membership: a)
        let second = try TopicBench(on: first, membership: b)
        var lost: [String] = []
        for number in 0..<120 {
            lost.append(try await second.bench.outbox.accept(.sample(tokens: ["b\(number)"])).messageID)
        }
        try await running(first, a) {
            let own = try await first.bench.outbox.accept(.sample(tokens: ["own"]))
            try await eventually("its own is sent", advancing: first.bench.clock, by: .milliseconds(100)) {
                try await first.bench.isSettled(own.messageID)
            }
            cluster.remove("b")
            try await eventually("all are settled", advancing: first.bench.clock, by: .milliseconds(100)) {
                for id in lost where try await !first.bench.isSettled(id) { return false }
                return true
            }
        }
        #expect(first.bench.transport.sent.count == 121)
        #expect(Set(first.bench.transport.tokens).count == 121)
    }

    @Test("A leader is alone in the period in which it finds no chunks of others")
    func alone() async throws {
        let (a, b) = (cluster.join("a"), cluster.join("b"))
        let first = try TopicBench(membership: a)
        let second = try TopicBench(on: first, membership: b)
        let lost = try await second.bench.outbox.accept(.sample(tokens: ["of b"]))
        let turns = Tally()
        let period = CommitPeriod().next
        let takeover = Takeover(
            store: first.bench.store, dispatcher: first.bench.dispatcher, broadcaster: first.broadcaster,
            membership: a,
            period: {
                turns.add()
                return period
            }, clock: first.bench.clock, logger: first.bench.log.logger)
        try await takeover.running {
            try await first.running {
                try await eventually("two turns have ended", advancing: first.bench.clock, by: .milliseconds(100)) {
                    turns.count > 2
                }
                #expect(first.bench.dispatcher.periodAlone == nil)
                cluster.remove("b")
                try await eventually("b's is sent", advancing: first.bench.clock, by: .milliseconds(100)) {
                    try await first.bench.isSettled(lost.messageID)
                }
                try await eventually("the leader is alone", advancing: first.bench.clock, by: .milliseconds(100)) {
                    first.bench.dispatcher.periodAlone == period
                }
            }
        }
    }

    @Test("A broadcast is cut by the gateway that accepted it, and goes on where that one has stopped")
    func broadcasts() async throws {
        let (a, b) = (cluster.join("a"), cluster.join("b"))
        let first = try TopicBench(membership: a)
        let second = try TopicBench(on: first, membership: b)
        let devices = try await first.devices(1_200)
        _ = try await first.subscriptions.subscribe(devices, to: "news")
        let id = try await first.broadcaster.accept(.sample(), to: try Condition(topic: "news"))
        let clock = first.bench.clock
        try await running(second, b) {
            for _ in 0..<30 {
                clock.advance(by: .milliseconds(100))
                await Task.yield()
            }
            #expect(second.bench.transport.sent.isEmpty)
            cluster.remove("a")
            cluster.lead("b")
            try await eventually("all are sent", advancing: clock, by: .milliseconds(100)) {
                second.bench.transport.sent.count == 1_200
            }
        }
        #expect(Set(second.bench.transport.tokens).count == 1_200)
        let message = try await second.bench.disk.documents.document(at: OutboxDocuments.messagePath(id))
        #expect(message?["targetCount"] == .integer(1_200))
    }

    @Test("A gateway on its own takes what others have left in its store, and others what it has left")
    func copies() async throws {
        let first = try TopicBench(membership: cluster.join("a"))
        let lost = try await first.bench.outbox.accept(.sample(tokens: ["of a"]))
        let alone = try TopicBench(on: first)
        let foreign = try DocumentPath("rooms/1/messages/intro")
        _ = try await first.bench.disk.documents.commit([.set(foreign, ["queue": "z apns//sandbox 2026"])])
        try await running(alone, nil) {
            try await eventually("it is sent", advancing: first.bench.clock, by: .milliseconds(100)) {
                try await alone.bench.isSettled(lost.messageID)
            }
        }
        let own = try await alone.bench.outbox.accept(.sample(tokens: ["of one on its own"]))
        let b = cluster.join("b")
        cluster.lead("b")
        let second = try TopicBench(on: first, membership: b)
        try await running(second, b) {
            try await eventually("it is sent", advancing: first.bench.clock, by: .milliseconds(100)) {
                try await second.bench.isSettled(own.messageID)
            }
        }
        #expect(alone.bench.transport.tokens == ["of a"] && second.bench.transport.tokens == ["of one on its own"])
        #expect(try await first.bench.disk.documents.document(at: foreign)?["queue"] == "z apns//sandbox 2026")
    }

    @Test("While another gateway may have its chunks, a gateway sends nothing more; then it goes on, or leaves them")
    func held() async throws {
        let a = cluster.join("a")
        for isRemoved in [false, true] {
            let gate = Gate()
            let topics = try TopicBench(ScriptedTransport(holding: "t0", at: gate), membership: a)
            let delivery = try await topics.bench.outbox.accept(.sample(tokens: ["t0"]))
            try await topics.running {
                try await eventually("the first is in flight", advancing: topics.bench.clock, by: .milliseconds(100)) {
                    topics.bench.transport.underWay == 1
                }
                cluster.hold("a", false)
                let next = try await topics.bench.outbox.accept(.sample(tokens: ["t1", "t2"]))
                gate.open()
                try await eventually("the first settles") { try await topics.bench.isSettled(delivery.messageID) }
                #expect(topics.bench.transport.tokens == ["t0"])
                if isRemoved { cluster.notify("a") } else { cluster.hold("a", true) }
                if isRemoved {
                    try await eventually("the attempt ends") { topics.bench.dispatcher.lanes.isIdle }
                } else {
                    try await eventually("the rest is sent") { try await topics.bench.isSettled(next.messageID) }
                }
            }
            #expect(topics.bench.transport.sent.count == (isRemoved ? 1 : 3))
        }
    }

    @Test("A duty begins when its gateway leads")
    func duty() async throws {
        let (_, b) = (cluster.join("a"), cluster.join("b"))
        let topics = try TopicBench()
        let delivery = try await topics.bench.outbox.accept(.sample(tokens: ["one"]))
        try await Duty(topics.bench.dispatcher, b).running {
            topics.bench.clock.advance(by: .seconds(5))
            for _ in 0..<100 { await Task.yield() }
            #expect(topics.bench.transport.sent.isEmpty)
            cluster.lead("b")
            try await eventually("it runs", advancing: topics.bench.clock, by: .milliseconds(100)) {
                try await topics.bench.isSettled(delivery.messageID)
            }
        }
    }
}
