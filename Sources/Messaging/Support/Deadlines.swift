import Synchronization

/// Many waits of seconds that share one timer: a task and a timer for each would cost more than most of what they wait for.
///
/// Deadlines are kept to within ``tick``, and those set before ``run()`` count from when they were set. When it ends, so do
/// all that are left.
package final class Deadlines: Sendable {
    /// The interval between looks at the clock while any deadline is set.
    package static let tick = Duration.milliseconds(50)

    enum Reason {
        case due
        /// The deadlines have ended before.
        case ended
    }

    typealias Action = @Sendable (Reason) -> Void

    private struct State {
        var actions: [Int: (time: Duration, action: Action)] = [:]
        var next = 0
        var isOver = false
    }

    private let clock: any Clock<Duration>
    /// The time since this was made.
    private let elapsed: @Sendable () -> Duration
    private let state = Mutex(State())
    private let news = Bell()

    init(clock: any Clock<Duration>) {
        self.clock = clock
        elapsed = clock.stopwatch()
    }

    /// Has an action run once after a time, on no particular thread; it must be brief.
    ///
    /// - Returns: the name by which to cancel it, or `nil` if the deadlines have ended, and it never runs.
    func set(after duration: Duration, _ action: @escaping Action) -> Int? {
        let time = elapsed() + duration
        let (name, isFirst) = state.withLock { state -> (Int?, Bool) in
            guard !state.isOver else { return (nil, false) }
            state.next += 1
            state.actions[state.next] = (time, action)
            return (state.next, state.actions.count == 1)
        }
        if isFirst { news.ring() }
        return name
    }

    func cancel(_ name: Int) {
        state.withLock { _ = $0.actions.removeValue(forKey: name) }
    }

    /// Runs actions as their times come, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            await news.wait(unless: { self.state.withLock { !$0.actions.isEmpty } })
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
        for (_, action) in due.values { action(.due) }
    }

    private func end() {
        let rest = state.withLock { state in
            state.isOver = true
            defer { state.actions = [:] }
            return state.actions
        }
        for (_, action) in rest.values { action(.ended) }
    }
}

extension Clock where Duration == Swift.Duration {
    /// Returns a function that tells the time since this call.
    fileprivate func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { start.duration(to: self.now) }
    }
}
