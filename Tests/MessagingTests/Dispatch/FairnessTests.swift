import DocumentStore
import Messaging
import TestDoubles
import Testing

@Suite("Independence of lanes")
struct FairnessTests {
    /// A transport that holds every notification of the topic `slow`.
    private static func transport(_ gate: Gate, window: Int = 5) -> ScriptedTransport {
        ScriptedTransport(window: window) { sent in
            if sent.message.lane.app.bundleID == "slow" { await gate.pass() }
            return .accepted
        }
    }

    private static func configuration(capacity: Int) -> Dispatcher.Configuration {
        var configuration = Dispatcher.Configuration()
        configuration.capacity = capacity
        return configuration
    }

    private func tokens(_ prefix: String, _ count: Int) -> [String] { (0..<count).map { "\(prefix)\($0)" } }

    @Test("A lane that hangs leaves the other lanes their window")
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

    @Test("A lane may have another window than the transport's")
    func windowOfALane() async throws {
        let gate = Gate()
        let transport = ScriptedTransport(window: 5, windows: ["narrow": 2]) { _ in
            await gate.pass()
            return .accepted
        }
        let bench = try Bench(transport)
        try await bench.running {
            let deliveries = [
                try await bench.outbox.accept(.sample(tokens: tokens("n", 20), topic: "narrow")),
                try await bench.outbox.accept(.sample(tokens: tokens("w", 20), topic: "wide")),
            ]
            try await eventually("both windows are full") { gate.waiting == 7 }
            gate.open()
            for delivery in deliveries { try await bench.settled(delivery) }
        }
        func most(_ topic: String) -> Int {
            transport.mostUnderWay(in: Lane(transport: .fcm, app: AppIdentity(bundleID: topic)))
        }
        #expect(most("narrow") == 2 && most("wide") == 5)
    }

    @Test("A multicast over a hanging and a free lane settles the chunk of the free lane")
    func oneMulticast() async throws {
        let gate = Gate()
        let bench = try Bench(Self.transport(gate))
        try await bench.running {
            let targets =
                Multicast.sample(tokens: ["s"], topic: "slow").targets
                + Multicast.sample(tokens: ["q"], topic: "quick").targets
            let delivery = try await bench.outbox.accept(.sample(targets))
            try await eventually("the free lane's outcome is counted") { delivery.progress.sent == 1 }
            #expect(delivery.progress.pending == 1)
        }
    }

    @Test("A hanging lane whose backlog fills memory does not delay new messages in other lanes")
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
                try await eventually("the quick message settles", advancing: bench.clock, by: .milliseconds(100)) {
                    try await bench.isSettled(quick.messageID)
                }
            }
            gate.open()
            try await eventually("the slow lane is sent", advancing: bench.clock, by: .milliseconds(100)) {
                bench.transport.sent.count == 350
            }
        }
        #expect(bench.transport.attempts.values.allSatisfy { $0 == 1 })
    }

    @Test("A hanging lane with an older backlog on disk does not delay what other lanes have on disk")
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
            try await eventually("the quick message settles", advancing: bench.clock, by: .milliseconds(100)) {
                try await next.isSettled(quick.messageID)
            }
            try await eventually("the slow lane's window is full") { gate.waiting == 5 }
            gate.open()
            try await eventually("the slow lane is sent", advancing: bench.clock, by: .milliseconds(100)) {
                next.transport.sent.count == 520
            }
        }
        #expect(next.transport.attempts.values.allSatisfy { $0 == 1 })
    }

    @Test("A single notification does not wait for the end of a large multicast in the same lane")
    func withinALane() async throws {
        let gate = Gate()
        let bench = try Bench(Self.transport(gate, window: 600))
        try await bench.running {
            _ = try await bench.outbox.accept(.sample(tokens: tokens("s", 500), topic: "slow"))
            try await eventually("the large multicast is in flight") { gate.waiting == 500 }
            _ = try await bench.outbox.accept(.sample(tokens: ["single"], topic: "slow"))
            try await eventually("the single notification is in flight") { gate.waiting == 501 }
        }
    }
}
