import Signals
import Synchronization

/// The log that all connections write to, and the waiters for entries in it.
package final class ReceivedHistory<Log: ReceivedLog>: Sendable {
    private struct State {
        var log: Log
        var waiters = Waiters<Log.Filter>()
    }

    private let state: Mutex<State>

    package init(limits: Log.Limits) {
        self.state = Mutex(State(log: Log(limits: limits)))
    }

    /// Adds an entry to the log and notifies waiters whose number is reached.
    ///
    /// - Parameter authorization: The request's `authorization`. It is counted, not kept.
    package func record(_ entry: Log.Entry, authorization: String? = nil) {
        let notices = state.withLock { state in
            let numbered = state.log.append(entry, authorization: authorization)
            return state.waiters.count { Log.matches(numbered, $0) }
        }
        for notify in notices { notify() }
    }

    /// Changes an entry of the log and notifies waiters whose number is reached. A waiter counts an entry that matches
    /// because of the change, as if it arrived now.
    ///
    /// - Parameter change: Returns the entry before and after the change; `nil` if it changed none.
    package func update(_ change: (inout Log) -> (before: Log.Entry, after: Log.Entry)?) {
        let notices = state.withLock { state -> [@Sendable () -> Void] in
            guard let (before, after) = change(&state.log) else { return [] }
            return state.waiters.count { Log.matches(after, $0) && !Log.matches(before, $0) }
        }
        for notify in notices { notify() }
    }

    /// Changes the counters of other events than requests.
    package func count(_ change: (inout Log.Counters) -> Void) {
        state.withLock { $0.log.count(change) }
    }

    /// Empties the log. Waiters count from zero again.
    package func reset() {
        state.withLock { state in
            state.log.reset()
            state.waiters.startOver()
        }
    }

    /// The counts of events since the start or the last reset.
    package var counters: Log.Counters { state.withLock { $0.log.counters } }

    /// Returns a value that a function reads from the log.
    package func read<Value: Sendable>(_ body: (Log) -> Value) -> Value { state.withLock { body($0.log) } }

    /// Returns a page of the matching entries, oldest first, and the number of all that match.
    package func page(
        matching filter: Log.Filter, offset: Int = 0, limit: Int = .max
    ) -> ReceivedPage<Log.Entry> {
        state.withLock { $0.log.page(matching: filter, offset: offset, limit: limit) }
    }

    // MARK: Waiting

    /// Calls `notify` once, after `count` matching entries have been received; at once if they already have been.
    ///
    /// - Returns: A number for ``giveUp(_:)``, or `nil` if `notify` has been called.
    package func whenReceived(
        _ count: Int, matching filter: Log.Filter, notify: @escaping @Sendable () -> Void
    ) -> Int? {
        let id = state.withLock { state -> Int? in
            let missing = count - state.log.count(matching: filter)
            guard missing > 0 else { return nil }
            return state.waiters.add(filter, wanted: count, missing: missing, notify: notify)
        }
        if id == nil { notify() }
        return id
    }

    /// Waits until `count` matching entries have been received.
    ///
    /// - Returns: `true` if they were received; `false` if the task was cancelled before.
    package func wait(for count: Int, matching filter: Log.Filter) async -> Bool {
        guard !Task.isCancelled else { return false }
        let arrival = Signal()
        guard let id = whenReceived(count, matching: filter, notify: { arrival.notify() }) else { return true }
        await arrival.wait { self.isReached(id) }
        return !giveUp(id)
    }

    /// Waits until `count` matching entries have been received or the time limit has passed.
    ///
    /// - Returns: `true` if they were received; `false` at the time limit, or if the task was cancelled before.
    package func wait(for count: Int, matching filter: Log.Filter, timeout: Duration) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { await self.wait(for: count, matching: filter) }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }

    private func isReached(_ id: Int) -> Bool { state.withLock { !$0.waiters.contains(id) } }

    /// Removes a waiter.
    ///
    /// - Returns: `true` if it was still waiting; `false` if it has been notified.
    @discardableResult
    package func giveUp(_ id: Int) -> Bool {
        state.withLock { $0.waiters.remove(id) }
    }
}
