import DocumentStore
import Synchronization
import TestDoubles
import Testing

@testable import Messaging

@Suite("Dispatching under concurrency")
struct ConcurrencyTests {
    /// Returns the number of failures before a token is accepted: from 0 to 2, and the same in every run.
    private static func failures(of token: String) -> Int {
        Int(token.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 } % 3)
    }

    private static func configuration() -> Dispatcher.Configuration {
        var configuration = Dispatcher.Configuration()
        configuration.capacity = 60
        configuration.retryPolicy = RetryPolicy(base: .milliseconds(10), maximum: .milliseconds(40))
        return configuration
    }

    private func accept(_ seed: Int, on bench: Bench) async throws -> [Delivery] {
        var random = SeededGenerator(seed: UInt64(seed))
        var deliveries: [Delivery] = []
        for number in 0..<15 {
            let count = Int.random(in: 1...12, using: &random)
            let tokens = (0..<count).map { "\(seed)-\(number)-\($0)" }
            let topic = "lane\(Int.random(in: 0..<3, using: &random))"
            deliveries.append(try await bench.outbox.accept(.sample(tokens: tokens, topic: topic)))
            if Bool.random(using: &random) { bench.clock.advance(by: .milliseconds(7)) }
        }
        return deliveries
    }

    @Test("Each notification is sent once per attempt and never twice at the same time", arguments: 0..<4)
    func exactlyOnce(seed: Int) async throws {
        let underWay = Mutex<Set<NotificationID>>([])
        let twice = Mutex(0)
        let transport = ScriptedTransport(window: 8) { sent in
            if !underWay.withLock({ $0.insert(sent.id).inserted }) { twice.withLock { $0 += 1 } }
            for _ in 0..<(sent.token.utf8.count % 5) { await Task.yield() }
            underWay.withLock { _ = $0.remove(sent.id) }
            return sent.attempt <= Self.failures(of: sent.token) ? .busy : .accepted
        }
        let bench = try Bench(transport, configuration: Self.configuration())
        var deliveries: [Delivery] = []
        try await bench.running {
            try await withThrowingTaskGroup(of: [Delivery].self) { group in
                for task in 0..<8 { group.addTask { try await accept(seed * 100 + task, on: bench) } }
                for try await part in group { deliveries += part }
            }
            var unsettled = deliveries
            try await eventually("all messages settle", advancing: bench.clock, by: .milliseconds(50)) {
                while let last = unsettled.last, try await bench.isSettled(last.messageID) { unsettled.removeLast() }
                return unsettled.isEmpty
            }
        }
        #expect(twice.withLock { $0 } == 0)
        for (id, attempts) in bench.transport.attempts {
            let token = try #require(bench.transport.sent.first { $0.id == id }?.token)
            #expect(attempts == Self.failures(of: token) + 1)
        }
        #expect(bench.transport.attempts.count == deliveries.reduce(0) { $0 + $1.progress.attempted })
        try await eventually("nothing stays in memory") { bench.isIdle }
        #expect(deliveries.allSatisfy { $0.progress.pending == 0 && $0.progress.errors.isEmpty })
    }
}
