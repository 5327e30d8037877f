package import DocumentStore
import Synchronization

/// The outcomes of the last hour, minute by minute and in memory only, and the last known state of the queue: for
/// people who look at a gateway. Metrics have the rest.
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

    private struct State {
        /// The minutes with outcomes, by their numbers since 1970.
        var minutes: [Int64: Minute] = [:]
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
        }
    }

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
