import Signals
import Synchronization

/// A set of timeouts of some seconds that share one timer. A task and a timer for each would cost more than most of
/// the waits themselves.
///
/// Actions run within ``tick`` of their time. A timeout that is set before ``run()`` counts from the moment it was
/// set. All remaining ones end when ``run()`` ends.
package final class Deadlines: Sendable {
    /// The interval at which the clock is read while a timeout is set.
    package static let tick = Duration.milliseconds(50)

    enum Reason {
        /// The time has come.
        case due
        /// The timeouts ended before the time came.
        case ended
    }

    typealias Action = @Sendable (Reason) -> Void

    /// An action and its time. In a tuple, Swift would convert the action with an allocation each time it is stored.
    private struct Timeout {
        let time: Duration
        let action: Action
    }

    private struct State {
        var actions: [Int: Timeout] = [:]
        var next = 0
        var isOver = false
    }

    private let clock: any Clock<Duration>
    /// The time since the creation of this object.
    private let elapsed: @Sendable () -> Duration
    private let state = Mutex(State())
    private let workAvailable = Signal()

    init(clock: any Clock<Duration>) {
        self.clock = clock
        elapsed = clock.stopwatch()
    }

    /// Runs an action once after a duration, on any thread. The action must be brief.
    ///
    /// - Returns: the name for ``cancel(_:)``; `nil` if the timeouts have ended and the action never runs.
    func set(after duration: Duration, _ action: @escaping Action) -> Int? {
        let time = elapsed() + duration
        let (name, isFirst) = state.withLock { state -> (Int?, Bool) in
            guard !state.isOver else { return (nil, false) }
            state.next += 1
            state.actions[state.next] = Timeout(time: time, action: action)
            return (state.next, state.actions.count == 1)
        }
        if isFirst { workAvailable.notify() }
        return name
    }

    func cancel(_ name: Int) {
        state.withLock { _ = $0.actions.removeValue(forKey: name) }
    }

    /// Runs actions at their times, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            await workAvailable.wait { self.state.withLock { !$0.actions.isEmpty } }
            try? await clock.sleep(for: Self.tick)
            runDue()
        }
        end()
    }

    private func runDue() {
        let now = elapsed()
        let due = state.withLock { state in
            let due = state.actions.filter { $0.value.time <= now }
            for name in due.keys { state.actions.removeValue(forKey: name) }
            return due
        }
        for timeout in due.values { timeout.action(.due) }
    }

    private func end() {
        let rest = state.withLock { state in
            state.isOver = true
            defer { state.actions = [:] }
            return state.actions
        }
        for timeout in rest.values { timeout.action(.ended) }
    }
}

extension Clock where Duration == Swift.Duration {
    /// Returns a function that returns the time since this call.
    fileprivate func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { start.duration(to: self.now) }
    }
}
