import Synchronization

/// A loop that takes a turn when there is new work, and after pauses that the turns choose.
package final class WorkLoop: Sendable {
    /// The pause after a turn.
    package enum Pause: Sendable {
        /// A pause that new work ends early.
        case untilWork(atMost: Duration)
        /// A pause of the whole duration, as after a failure.
        case fixed(Duration)
    }

    private let clock: any Clock<Duration>
    private let hasWork = Mutex(false)
    private let workAvailable = Signal()

    /// Creates a loop.
    ///
    /// - Parameter clock: measures the pauses.
    package init(clock: any Clock<Duration>) { self.clock = clock }

    /// Announces new work: a turn follows, even if one is being taken now.
    package func notify() {
        hasWork.withLock { $0 = true }
        workAvailable.notify()
    }

    /// Takes turns until the task is cancelled, the first one at once.
    ///
    /// - Parameter turn: does the work that there is, and returns the pause after it.
    package func run(_ turn: () async -> Pause) async {
        while !Task.isCancelled {
            // Work that arrives from here on may come too late for this turn.
            hasWork.withLock { $0 = false }
            switch await turn() {
            case .untilWork(let bound):
                await workAvailable.wait(atMost: bound, clock: clock) { self.hasWork.withLock { $0 } }
            case .fixed(let duration): try? await clock.sleep(for: duration)
            }
        }
    }
}
