import DocumentStore
import TestDoubles
import Testing

@testable import Messaging

@Suite("Outcomes hour by hour")
struct OutcomeHoursTests {
    private let clock = ManualClock()

    @Test("Outcomes are added to those of their hour, and the hours before the last week are forgotten")
    func week() async throws {
        let disk = try TemporaryStore(clock: clock)
        let hours = OutcomeHours(store: disk.documents)
        let now: Int64 = 480_000
        try await hours.add([now: .init(accepted: 3, rejected: 1), now - 1: .init(failed: 2)])
        try await hours.add([now: .init(accepted: 4)])
        #expect(
            try await hours.counts(from: now - 1) == [now: .init(accepted: 7, rejected: 1), now - 1: .init(failed: 2)])
        #expect(try await hours.counts(from: now) == [now: .init(accepted: 7, rejected: 1)])
        try await hours.add([now + 168: .init(accepted: 1)])
        #expect(try await Set(hours.counts(from: 0).keys) == [now, now + 168])
        try await hours.add([:])
        try await hours.add([now + 400: .init(accepted: 1)])
        #expect(try await Set(hours.counts(from: 0).keys) == [now + 400])
    }

    @Test("The id of an hour is its beginning in UTC, also before 1970")
    func ids() {
        #expect(OutcomeHours.start(of: 0).description == "1970-01-01T00:00:00.000000Z")
        #expect(OutcomeHours.number(of: OutcomeHours.start(of: -5)) == -5)
        #expect(OutcomeHours.number(of: OutcomeHours.start(of: 7).adding(.seconds(3_599))) == 7)
        #expect(OutcomeHours.number(of: OutcomeHours.start(of: 7).adding(.seconds(3_600))) == 8)
    }

    @Test("The recorder stores what the dispatcher has counted once, and keeps what could not be stored")
    func recorder() async throws {
        let bench = try Bench()
        let recorder = OutcomeRecorder(of: bench.dispatcher, store: bench.store, logger: .silent)
        let hour = OutcomeHours.number(of: bench.clock.timestamp)
        try await bench.running {
            try await bench.settled(try await bench.outbox.accept(.sample(tokens: ["a", "b"])))
            try await eventually("the outcomes are counted") {
                bench.dispatcher.recent.unsaved == [hour: .init(accepted: 2)]
            }
            await recorder.record()
            await recorder.record()
            #expect(bench.dispatcher.recent.unsaved.isEmpty)
            let hours = OutcomeHours(store: bench.disk.documents)
            #expect(try await hours.counts(from: hour) == [hour: .init(accepted: 2)])
        }
        bench.dispatcher.recent.restore([hour: .init(rejected: 1)])
        await bench.disk.engine.close()
        await recorder.record()
        #expect(bench.dispatcher.recent.unsaved == [hour: .init(rejected: 1)])
    }
}
