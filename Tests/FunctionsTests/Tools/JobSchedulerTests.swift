import DocumentStore
import Functions
import Synchronization
import TestDoubles
import Testing

@Suite("Scheduled jobs")
struct JobSchedulerTests {
    private final class Runs: Sendable {
        private let times = Mutex<[Duration]>([])
        var count: Int { times.withLock(\.count) }
        var all: [Duration] { times.withLock { $0 } }
        func record(_ time: Duration) { times.withLock { $0.append(time) } }
    }

    private func running(_ bench: Bench, _ jobs: [ScheduledJob], _ body: () async throws -> Void) async throws {
        let scheduler = JobScheduler(
            jobs: jobs, store: bench.store, clock: bench.clock, now: { bench.clock.timestamp },
            logger: bench.log.logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try? await scheduler.run() }
            defer { group.cancelAll() }
            try await body()
        }
    }

    private func job(_ bench: Bench, _ name: String = "job", hours: Int, _ runs: Runs) -> ScheduledJob {
        ScheduledJob(name: name, interval: .seconds(hours * 3_600)) { runs.record(bench.clock.now.offset) }
    }

    @Test("A job runs at once the first time and then after each interval")
    func interval() async throws {
        let bench = try Bench()
        let runs = Runs()
        try await running(bench, [job(bench, hours: 24, runs)]) {
            try await eventually("the job waits for its next run") { bench.clock.pendingSleeps == [.seconds(86_400)] }
            #expect(runs.count == 1)
            #expect(try await bench.document("schedules/job") == ["lastRunAt": bench.now])
            bench.clock.advance(by: .seconds(86_399))
            #expect(bench.clock.pendingSleeps == [.seconds(1)])
            bench.clock.advance(by: .seconds(1))
            try await eventually("the job has run again") { bench.clock.pendingSleeps == [.seconds(86_400)] }
            #expect(runs.all == [.zero, .seconds(86_400)])
        }
    }

    @Test("A restart neither runs a job early nor delays it")
    func restart() async throws {
        let bench = try Bench()
        let runs = Runs()
        for _ in 0..<10 {
            try await running(bench, [job(bench, hours: 24, runs)]) {
                try await eventually("the job waits") { bench.clock.pendingSleeps.count == 1 }
                bench.clock.advance(by: .seconds(3_600))
            }
        }
        #expect(runs.all == [.zero])
        bench.clock.advance(by: .seconds(20 * 3_600))
        try await running(bench, [job(bench, hours: 24, runs)]) {
            try await eventually("the job has run") { runs.count == 2 }
        }
        #expect(runs.all == [.zero, .seconds(30 * 3_600)])
    }

    @Test("A failed job is logged, not recorded as run, and tried again after a tenth of its interval")
    func failure() async throws {
        let bench = try Bench()
        let runs = Runs()
        let job = ScheduledJob(name: "job", interval: .seconds(1_000)) {
            runs.record(bench.clock.now.offset)
            if runs.count < 3 { throw StoreError(.unavailable, "busy") }
        }
        try await running(bench, [job]) {
            for count in 1...2 {
                try await eventually("the job has failed") {
                    runs.count == count && bench.clock.pendingSleeps == [.seconds(100)]
                }
                #expect(try await bench.document("schedules/job") == nil)
                bench.clock.advance(by: .seconds(100))
            }
            try await eventually("the job has succeeded") { bench.clock.pendingSleeps == [.seconds(1_000)] }
        }
        #expect(runs.all == [.zero, .seconds(100), .seconds(200)])
        #expect(bench.log.lines.count { $0.hasPrefix("error failed to run a scheduled job") } == 2)
    }

    @Test("A job does not run while the store cannot be read, and runs afterwards")
    func storeFails() async throws {
        let bench = try Bench()
        let runs = Runs()
        bench.store.set { $0.beforeRead = { _ throws(StoreError) in throw .diskFull } }
        try await running(bench, [job(bench, hours: 10, runs)]) {
            try await eventually("the job waits") { bench.clock.pendingSleeps == [.seconds(3_600)] }
            #expect(runs.count == 0)
            bench.store.set { $0.beforeRead = { _ in } }
            bench.clock.advance(by: .seconds(3_600))
            try await eventually("the job has run") { runs.count == 1 }
        }
    }

    @Test("Each job has its own schedule")
    func several() async throws {
        let bench = try Bench()
        let (first, second) = (Runs(), Runs())
        try await running(bench, [job(bench, "a", hours: 1, first), job(bench, "b", hours: 2, second)]) {
            for _ in 0..<4 {
                try await eventually("both sleep") { bench.clock.pendingSleeps.count == 2 }
                bench.clock.advance(by: .seconds(3_600))
            }
            try await eventually("both sleep") {
                bench.clock.pendingSleeps.count == 2 && first.count == 5 && second.count == 3
            }
        }
        #expect(try await bench.documents().keys.sorted() == ["schedules/a", "schedules/b"])
    }

    @Test("A clock that was set back delays a job by at most its interval")
    func clockSetBack() async throws {
        let bench = try Bench()
        let runs = Runs()
        let future = Value.timestamp(bench.clock.timestamp.adding(.seconds(1_000_000)))
        _ = try await bench.disk.documents.commit([.set(try DocumentPath("schedules/job"), ["lastRunAt": future])])
        try await running(bench, [job(bench, hours: 24, runs)]) {
            try await eventually("the job waits") { bench.clock.pendingSleeps == [.seconds(86_400)] }
        }
        #expect(runs.count == 0)
    }
}
