package import DocumentStore
import Synchronization

/// The outcomes of the last hour, minute by minute and in memory only, and the last known state of the queue: for
/// people who look at a gateway. ``OutcomeHours`` keeps a week, hour by hour. Metrics have the rest.
package final class RecentOutcomes: Sendable {
    /// The outcomes of one minute.
    package struct Minute: Hashable, Sendable {
        /// The beginning.
        package let start: Timestamp
        /// Notifications that push services accepted.
        package fileprivate(set) var accepted = 0
        /// Notifications that were rejected for good, by error.
        package fileprivate(set) var rejected: [MessagingErrorCode: Int] = [:]
        /// Attempts that failed and are repeated, by error.
        package fileprivate(set) var failed: [MessagingErrorCode: Int] = [:]
    }

    /// The queue on disk.
    package struct Queue: Hashable, Sendable {
        /// The number of chunks, of up to 500 notifications each, that are not settled.
        package let chunks: Int
        /// The time since the most overdue chunk was due.
        package let age: Duration
    }

    /// The number of minutes that are kept.
    package static let count = 60

    /// The numbers of outcomes in a span of time.
    package struct Counts: Hashable, Sendable {
        /// Notifications that push services accepted.
        package var accepted = 0
        /// Notifications that were rejected for good.
        package var rejected = 0
        /// Attempts that failed and are repeated.
        package var failed = 0

        package init(accepted: Int = 0, rejected: Int = 0, failed: Int = 0) {
            self.accepted = accepted
            self.rejected = rejected
            self.failed = failed
        }

        package static func + (left: Counts, right: Counts) -> Counts {
            Counts(
                accepted: left.accepted + right.accepted, rejected: left.rejected + right.rejected,
                failed: left.failed + right.failed)
        }
    }

    private struct State {
        /// The minutes with outcomes, by their numbers since 1970.
        var minutes: [Int64: Minute] = [:]
        /// The outcomes that are not in the store yet, by the numbers of their hours since 1970.
        var unsaved: [Int64: Counts] = [:]
        var queue: Queue?
    }

    private let state = Mutex(State())

    /// The state of the queue, which is counted every ten seconds; `nil` until then.
    package var queue: Queue? { state.withLock(\.queue) }

    /// Returns the last minutes, the present one last, with those in which nothing happened.
    package func minutes(until time: Timestamp) -> [Minute] {
        let last = Self.number(of: time)
        let known = state.withLock(\.minutes)
        return (last - Int64(Self.count) + 1...last).map { number in
            known[number] ?? Self.minute(number)
        }
    }

    func add(accepted: Int, rejected: [MessagingErrorCode: Int], failed: [MessagingErrorCode: Int], at time: Timestamp)
    {
        guard accepted > 0 || !rejected.isEmpty || !failed.isEmpty else { return }
        let number = Self.number(of: time)
        state.withLock { state in
            if state.minutes[number] == nil {
                state.minutes = state.minutes.filter { $0.key > number - Int64(Self.count) }
            }
            state.minutes[number, default: Self.minute(number)].add(accepted, rejected, failed)
            let counts = Counts(
                accepted: accepted, rejected: rejected.values.reduce(0, +), failed: failed.values.reduce(0, +))
            state.unsaved[number / 60] = state.unsaved[number / 60, default: Counts()] + counts
        }
    }

    /// The outcomes that are not in the store yet, by the numbers of their hours since 1970.
    package var unsaved: [Int64: Counts] { state.withLock(\.unsaved) }

    /// Returns the outcomes that are not in the store yet, which the caller stores.
    func takeUnsaved() -> [Int64: Counts] {
        state.withLock { state in
            let counts = state.unsaved
            state.unsaved = [:]
            return counts
        }
    }

    /// Takes back outcomes that could not be stored.
    func restore(_ counts: [Int64: Counts]) { state.withLock { $0.unsaved.merge(counts, uniquingKeysWith: +) } }

    func record(_ queue: Queue) { state.withLock { $0.queue = queue } }

    private static func number(of time: Timestamp) -> Int64 { time.seconds / 60 }

    private static func minute(_ number: Int64) -> Minute {
        Minute(start: Timestamp(microseconds: number * 60_000_000))
    }
}

extension RecentOutcomes.Minute {
    fileprivate mutating func add(
        _ accepted: Int, _ rejected: [MessagingErrorCode: Int], _ failed: [MessagingErrorCode: Int]
    ) {
        self.accepted += accepted
        self.rejected.merge(rejected, uniquingKeysWith: +)
        self.failed.merge(failed, uniquingKeysWith: +)
    }
}
