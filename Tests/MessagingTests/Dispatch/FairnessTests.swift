import DocumentStore
import Messaging
import TestDoubles
import Testing

@Suite("Lanes do not delay each other")
struct FairnessTests {
    /// A transport on which everything of the topic `slow` hangs.
    private static func transport(_ gate: Gate, window: Int = 5) -> ScriptedTransport {
        ScriptedTransport(window: window) { sent in
            if sent.message.lane.topic == "slow" { await gate.pass() }
            return .accepted
        }
    }

    private static func configuration(capacity: Int) -> Dispatcher.Configuration {
        var configuration = Dispatcher.Configuration()
        configuration.capacity = capacity
        return configuration
    }

    private func tokens(_ prefix: String, _ count: Int) -> [String] { (0..<count).map { "\(prefix)\($0)" } }

    @Test("a lane that hangs leaves the others their window")
    func windows() async throws {
        let gate = Gate()
        let bench = try Bench(Self.transport(gate))
        try await bench.running {
            let slow = try await bench.outbox.accept(.sample(tokens: tokens("s", 40), topic: "slow"))
            try await eventually("the slow lane's window is full") { gate.waiting == 5 }
            for number in 0..<10 {
                let quick = try await bench.outbox.accept(.sample(tokens: tokens("q\(number)-", 20), topic: "quick"))
                try await bench.settled(quick)
            }
            #expect(slow.progress.sent == 0)
            gate.open()
            try await bench.settled(slow)
        }
    }

    @Test("one multicast over a hanging lane and a free one settles the free one's chunk")
    func oneMulticast() async throws {
        let gate = Gate()
        let bench = try Bench(Self.transport(gate))
        try await bench.running {
            let targets =
                Multicast.sample(tokens: ["s"], topic: "slow").targets
                + Multicast.sample(tokens: ["q"], topic: "quick").targets
            let delivery = try await bench.outbox.accept(.sample(targets))
            try await eventually("the free lane's is counted") { delivery.progress.sent == 1 }
            #expect(delivery.progress.pending == 1)
        }
    }

    @Test("a hanging lane whose backlog fills memory does not delay what is accepted for others")
    func fullMemory() async throws {
        let gate = Gate()
        let bench = try Bench(Self.transport(gate), configuration: Self.configuration(capacity: 50))
        try await bench.running {
            for number in 0..<30 {
                _ = try await bench.outbox.accept(.sample(tokens: tokens("s\(number)-", 10), topic: "slow"))
            }
            try await eventually("the slow lane's window is full") { gate.waiting == 5 }
            for number in 0..<5 {
                let quick = try await bench.outbox.accept(.sample(tokens: tokens("q\(number)-", 10), topic: "quick"))
                try await eventually("the quick lane's is sent", advancing: bench.clock, by: .milliseconds(100)) {
                    try await bench.isSettled(quick.messageID)
                }
            }
            gate.open()
            try await eventually("the slow lane's too", advancing: bench.clock, by: .milliseconds(100)) {
                bench.transport.sent.count == 350
            }
        }
        #expect(bench.transport.attempts.values.allSatisfy { $0 == 1 })
    }

    @Test("a hanging lane whose older backlog fills the disk does not delay what others have there")
    func fullDisk() async throws {
        let gate = Gate()
        let bench = try Bench(Self.transport(gate))
        for number in 0..<250 {
            _ = try await bench.outbox.accept(.sample(tokens: tokens("s\(number)-", 2), topic: "slow"))
        }
        bench.clock.advance(by: .seconds(1))
        let quick = try await bench.outbox.accept(.sample(tokens: tokens("q", 20), topic: "quick"))
        let next = try Bench(Self.transport(gate), on: bench, configuration: Self.configuration(capacity: 50))
        try await next.running {
            try await eventually("the quick lane's is sent", advancing: bench.clock, by: .milliseconds(100)) {
                try await next.isSettled(quick.messageID)
            }
            try await eventually("the slow lane's window is full") { gate.waiting == 5 }
            gate.open()
            try await eventually("the slow lane's too", advancing: bench.clock, by: .milliseconds(100)) {
                next.transport.sent.count == 520
            }
        }
        #expect(next.transport.attempts.values.allSatisfy { $0 == 1 })
    }

    @Test("a large multicast does not keep a single notification of the same lane waiting for its end")
    func withinALane() async throws {
        let gate = Gate()
        let bench = try Bench(Self.transport(gate, window: 600))
        try await bench.running {
            _ = try await bench.outbox.accept(.sample(tokens: tokens("s", 500), topic: "slow"))
            try await eventually("the large one is on its way") { gate.waiting == 500 }
            _ = try await bench.outbox.accept(.sample(tokens: ["single"], topic: "slow"))
            try await eventually("the single one too") { gate.waiting == 501 }
        }
    }
}
