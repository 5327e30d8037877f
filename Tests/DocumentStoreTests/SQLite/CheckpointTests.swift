import Foundation
import Testing

@testable import DocumentStore

@Suite("SQLite: checkpoints", .timeLimit(.minutes(10)))
struct CheckpointTests {
    private typealias Schedule = CheckpointSchedule

    @Test("A log below the limit is left to grow")
    func growing() {
        var schedule = CheckpointSchedule()
        #expect(schedule.committed(frames: 1) == .none)
        #expect(schedule.committed(frames: Schedule.limit - 1) == .none)
    }

    @Test("A log at the limit is copied beside the writer, which copies the short rest")
    func shortRest() {
        var schedule = CheckpointSchedule()
        #expect(schedule.committed(frames: Schedule.limit) == .copy)
        #expect(schedule.committed(frames: Schedule.limit + 100) == .none)
        schedule.copied(frames: Schedule.limit)
        #expect(schedule.committed(frames: Schedule.limit + Schedule.maximumRest) == .finish)
    }

    @Test("A long rest is copied beside the writer too, in three passes at most")
    func longRest() {
        var schedule = CheckpointSchedule()
        var frames = Schedule.limit
        #expect(schedule.committed(frames: frames) == .copy)
        for _ in 1..<Schedule.maximumPasses {
            schedule.copied(frames: frames)
            frames += Schedule.maximumRest + 1
            #expect(schedule.committed(frames: frames) == .copy)
        }
        schedule.copied(frames: frames)
        #expect(schedule.committed(frames: frames + Schedule.maximumRest + 1) == .finish)
    }

    @Test("A log that starts over is left to grow to the limit again")
    func startingOver() {
        var schedule = CheckpointSchedule()
        _ = schedule.committed(frames: Schedule.limit)
        schedule.copied(frames: Schedule.limit)
        #expect(schedule.committed(frames: Schedule.limit) == .finish)
        #expect(schedule.committed(frames: 10) == .none)
        #expect(schedule.committed(frames: Schedule.limit - 1) == .none)
        #expect(schedule.committed(frames: Schedule.limit) == .copy)
    }

    @Test("A log that starts over right after a copy needs no further step")
    func startingOverAfterCopy() {
        var schedule = CheckpointSchedule()
        _ = schedule.committed(frames: Schedule.limit)
        schedule.copied(frames: Schedule.limit)
        #expect(schedule.committed(frames: 3) == .none)
        #expect(schedule.committed(frames: Schedule.limit) == .copy)
    }

    @Test(
        "A log that a reader keeps from starting over is copied again only after it has grown by an eighth of the limit"
    )
    func heldLog() {
        var schedule = CheckpointSchedule()
        _ = schedule.committed(frames: Schedule.limit)
        schedule.copied(frames: 0)
        for _ in 1..<Schedule.maximumPasses {
            #expect(schedule.committed(frames: Schedule.limit) == .copy)
            schedule.copied(frames: 0)
        }
        #expect(schedule.committed(frames: Schedule.limit) == .finish)
        #expect(schedule.committed(frames: Schedule.limit + Schedule.retryGrowth - 1) == .none)
        #expect(schedule.committed(frames: Schedule.limit + Schedule.retryGrowth) == .copy)
    }

    @Test("The log stays bounded while documents of 80 MiB are written, and the documents reach the database file")
    func bounded() async throws {
        let fixture = try SQLiteFixture()
        let engine = try fixture.open()
        let store = engine.store(for: .gateway)
        let text = Value.string(String(repeating: "x", count: 512 * 1024))
        for number in 0..<160 { try await store.set("t/\(number)", ["text": text]) }
        #expect(try size(fixture.path + "-wal") < 64 * 1024 * 1024)
        #expect(try size(fixture.path) > 32 * 1024 * 1024)
        await engine.close()
    }

    @Test("The log starts over after a reader that held it has ended, and every document stays readable")
    func readerThatHolds() async throws {
        let fixture = try SQLiteFixture()
        let engine = try fixture.open()
        let store = engine.store(for: .gateway)
        let text = Value.string(String(repeating: "x", count: 512 * 1024))
        try await store.set("t/first", [:])
        let (began, end) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
        async let reading: Void = engine.read(isLong: true) { db in
            _ = try SQLStatements.lastCommit(db)
            began.continuation.finish()
            end.wait()
        }
        for await _ in began.stream {}
        for number in 0..<120 { try await store.set("t/\(number)", ["text": text]) }
        let held = try size(fixture.path + "-wal")
        #expect(held > 60 * 1024 * 1024)
        end.signal()
        try await reading
        for number in 120..<240 { try await store.set("t/\(number)", ["text": text]) }
        #expect(try size(fixture.path + "-wal") < held + 32 * 1024 * 1024)
        #expect(try await store.ids(.collectionGroup("t")).count == 241)
        await engine.close()
    }

    private func size(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    }
}
