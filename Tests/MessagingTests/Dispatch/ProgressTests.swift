import DocumentStore
import Messaging
import TestDoubles
import Testing

@Suite("Progress of a delivery")
struct ProgressTests {
    @Test("Progress adds up the failures of several chunks")
    func failuresOfChunks() async throws {
        let bench = try Bench(ScriptedTransport { _ in .busy })
        try await bench.running {
            let targets = ["a", "b", "c"].map {
                Target(address: PushAddress(token: $0, app: AppIdentity(bundleID: $0)), registration: nil)
            }
            let delivery = try await bench.outbox.accept(.sample(targets))
            try await eventually("all attempts are stored") {
                try await bench.chunks(of: delivery.messageID).allSatisfy { $0["attempts"] == .integer(1) }
            }
            try await eventually("all failures are counted") { delivery.progress.errors == [.serverUnavailable: 3] }
            #expect(delivery.progress.pending == 3)
        }
    }

    @Test("Failures stay counted across checkpoints")
    func failuresOverCheckpoints() async throws {
        let gate = Gate()
        let bench = try Bench(
            ScriptedTransport { sent in
                guard sent.token == "slow" else { return .busy }
                await gate.pass()
                return .accepted
            })
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample(tokens: ["busy", "slow"]))
            try await eventually("both are in flight") { bench.transport.sent.count == 2 && gate.waiting == 1 }
            try await eventually("a checkpoint reports the failure", advancing: bench.clock, by: .milliseconds(250)) {
                delivery.progress.errors == [.serverUnavailable: 1]
            }
            #expect(delivery.progress.pending == 2)
            gate.open()
            try await eventually("the attempt is over") { delivery.progress.sent == 1 }
            #expect(delivery.progress.errors == [.serverUnavailable: 1])
            #expect(delivery.progress.pending == 1)
        }
    }

    @Test("A failure followed by an outcome no longer counts as an error")
    func failureMadeGood() async throws {
        let bench = try Bench(ScriptedTransport { $0.attempt == 1 ? .busy : .refused })
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample(tokens: ["phone"]))
            try await eventually("the message settles", advancing: bench.clock, by: .milliseconds(500)) {
                delivery.progress.pending == 0
            }
            #expect(delivery.progress.errors == [.invalidArgument: 1])
        }
    }

    @Test("Waiting for progress ends at once when all targets have settled")
    func waitingSettled() async throws {
        let bench = try Bench()
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample(tokens: ["a", "b"]))
            let progress = try await delivery.progress(waiting: .seconds(3_600))
            #expect(progress.sent == 2)
            #expect(progress.pending == 0)
        }
    }

    @Test("Waiting for progress ends at its time limit with the settled targets")
    func waitingBound() async throws {
        let gate = Gate()
        let bench = try Bench(ScriptedTransport(holding: "slow", at: gate))
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample(tokens: ["slow", "a", "b"]))
            async let waited = delivery.progress(waiting: .seconds(5))
            try await eventually("the other targets are counted", advancing: bench.clock, by: .milliseconds(100)) {
                delivery.progress.sent == 2
            }
            #expect(bench.clock.now.offset < .seconds(5))
            bench.clock.advance(by: .seconds(5))
            let progress = try await waited
            #expect(progress.sent == 2)
            #expect(progress.pending == 1)
            gate.open()
            try await eventually("the slow target is counted") { delivery.progress.sent == 3 }
        }
    }

    @Test("Progress without waiting is the current state")
    func noWait() async throws {
        let bench = try Bench()
        let delivery = try await bench.outbox.accept(.sample(tokens: ["a"]))
        let progress = try await delivery.progress(waiting: .zero)
        #expect(progress.pending == 1)
        #expect(progress.errors.isEmpty)
    }

    @Test("A cancelled caller stops waiting for progress")
    func cancelled() async throws {
        let bench = try Bench()
        let delivery = try await bench.outbox.accept(.sample(tokens: ["a"]))
        await withTaskGroup(of: DeliveryProgress?.self) { group in
            group.addTask { try? await delivery.progress(waiting: .seconds(60)) }
            group.cancelAll()
            #expect(await group.next()??.pending == 1)
        }
        #expect(bench.clock.pendingSleeps.isEmpty)
    }
}
