import DocumentStore
import Logging
import Messaging
import ServiceLifecycle
import TestDoubles
import Testing

@Suite("Graceful shutdown of the dispatcher")
struct ShutdownTests {
    private func group(_ bench: Bench) -> ServiceGroup {
        ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: bench.dispatcher)], logger: bench.log.logger))
    }

    @Test("Shutdown finishes and stores the notifications in flight and leaves the rest to the next process")
    func finishes() async throws {
        let gate = Gate()
        let bench = try Bench(
            ScriptedTransport(window: 2) { _ in
                await gate.pass()
                return .accepted
            })
        let group = group(bench)
        var deliveries: [Delivery] = []
        for number in 0..<20 { deliveries.append(try await bench.outbox.accept(.sample(tokens: ["t\(number)"]))) }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            try await eventually("the window is full") { gate.waiting == 2 }
            await group.triggerGracefulShutdown()
            try await eventually("the reader has ended") { bench.clock.pendingSleeps.isEmpty }
            gate.open()
            try await tasks.waitForAll()
        }
        let first = bench.transport.sent.count
        #expect(first >= 2 && first < 20)
        var settled = 0
        for delivery in deliveries where try await bench.isSettled(delivery.messageID) { settled += 1 }
        #expect(settled == first)

        let next = try Bench(on: bench)
        try await next.running { for delivery in deliveries { try await next.settled(delivery) } }
        #expect(next.transport.sent.count == 20 - first)
        #expect(Set(next.transport.tokens + bench.transport.tokens).count == 20)
    }

    @Test("An idle dispatcher shuts down at once")
    func idle() async throws {
        let bench = try Bench()
        let group = group(bench)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            try await eventually("the reader sleeps") { bench.clock.pendingSleeps.count == 1 }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    @Test("A message accepted after shutdown is durable and sent by the next process")
    func acceptedAfter() async throws {
        let bench = try Bench()
        let group = group(bench)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        let delivery = try await bench.outbox.accept(.sample(tokens: ["late"]))
        #expect(bench.transport.sent.isEmpty)
        let next = try Bench(on: bench)
        try await next.running { try await next.settled(delivery) }
        #expect(next.transport.tokens == ["late"])
    }
}
