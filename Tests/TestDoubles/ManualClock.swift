package import DocumentStore
import Synchronization

/// A clock that stands still until a test moves it.
package final class ManualClock: Clock {
    /// A moment as the time since the clock was made.
    package struct Instant: InstantProtocol {
        package var offset = Duration.zero

        package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State {
        var now = Instant()
        var sleepers: [Int: (deadline: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    package init() {}

    package var now: Instant { state.withLock(\.now) }
    package var minimumResolution: Duration { .zero }

    /// The same moment as a calendar time. The clock starts at 2026-01-01.
    package var timestamp: Timestamp { Self.start.adding(now.offset) }
    /// The same moment in whole seconds since 1970.
    package var seconds: Int64 { timestamp.seconds }
    /// The calendar time of a new clock.
    package static let start = Timestamp(microseconds: 1_767_225_600_000_000)

    /// The remaining time of each sleeper, shortest first.
    package var pendingSleeps: [Duration] {
        state.withLock { state in state.sleepers.values.map { state.now.duration(to: $0.deadline) }.sorted() }
    }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = state.withLock { state in
                    if deadline > state.now { state.sleepers[number] = (deadline, continuation) }
                    return deadline <= state.now
                }
                if isOver { continuation.resume() }
                if Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    /// Moves the clock and wakes the sleepers whose deadline has come.
    package func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let woken = state.sleepers.filter { $0.value.deadline <= state.now }
            for number in woken.keys { state.sleepers.removeValue(forKey: number) }
            return woken.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    private func cancel(_ number: Int) {
        state.withLock { $0.sleepers.removeValue(forKey: number)?.continuation }?
            .resume(throwing: CancellationError())
    }
}
