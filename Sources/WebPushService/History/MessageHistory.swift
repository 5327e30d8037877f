import Signals
import SimulatorTools
import Synchronization

/// The log that all connections write to, and the waiters for messages in it.
final class MessageHistory: Sendable {
    private struct State {
        var log: MessageLog
        var waiters = Waiters<MessageFilter>()
    }

    private let state: Mutex<State>

    init(limits: MessageLog.Limits) {
        self.state = Mutex(State(log: MessageLog(limits: limits)))
    }

    /// Adds a message to the log and notifies waiters whose number is reached.
    ///
    /// - Parameter authorization: The request's `authorization`. It is counted, not kept.
    func record(_ message: ReceivedMessage, authorization: String? = nil) {
        let notices = state.withLock { state in
            let numbered = state.log.append(message, authorization: authorization)
            return state.waiters.count { $0.matches(numbered) }
        }
        for notify in notices { notify() }
    }

    /// Changes the state of an accepted message and notifies waiters whose number is reached. A waiter counts a
    /// message that matches because of the change, as if it arrived now.
    func update(_ messageID: String, to delivery: MessageDelivery, code: Int? = nil) {
        let notices = state.withLock { state -> [@Sendable () -> Void] in
            guard let (before, after) = state.log.update(messageID, to: delivery, code: code) else { return [] }
            return state.waiters.count { $0.matches(after) && !$0.matches(before) }
        }
        for notify in notices { notify() }
    }

    func count(_ change: (inout PushServiceCounters) -> Void) {
        state.withLock { $0.log.count(change) }
    }

    /// Empties the log. Waiters count from zero again.
    func reset() {
        state.withLock { state in
            state.log.reset()
            state.waiters.startOver()
        }
    }

    var counters: PushServiceCounters { state.withLock { $0.log.counters } }

    func page(matching filter: MessageFilter, offset: Int = 0, limit: Int = .max) -> MessagePage {
        state.withLock { $0.log.page(matching: filter, offset: offset, limit: limit) }
    }
}

extension MessageHistory {
    /// Calls `notify` once, after `count` matching messages have been received; at once if they already have been.
    ///
    /// - Returns: A number for ``giveUp(_:)``, or `nil` if `notify` has been called.
    func whenReceived(
        _ count: Int, matching filter: MessageFilter, notify: @escaping @Sendable () -> Void
    ) -> Int? {
        let id = state.withLock { state -> Int? in
            let missing = count - state.log.count(matching: filter)
            guard missing > 0 else { return nil }
            return state.waiters.add(filter, wanted: count, missing: missing, notify: notify)
        }
        if id == nil { notify() }
        return id
    }

    /// Waits until `count` matching messages have been received.
    ///
    /// - Returns: `true` if they were received; `false` if the task was cancelled before.
    func wait(for count: Int, matching filter: MessageFilter) async -> Bool {
        guard !Task.isCancelled else { return false }
        let arrival = Signal()
        guard let id = whenReceived(count, matching: filter, notify: { arrival.notify() }) else { return true }
        await arrival.wait { self.isReached(id) }
        return !giveUp(id)
    }

    private func isReached(_ id: Int) -> Bool { state.withLock { !$0.waiters.contains(id) } }

    /// Removes a waiter.
    ///
    /// - Returns: `true` if it was still waiting; `false` if it has been notified.
    @discardableResult
    func giveUp(_ id: Int) -> Bool {
        state.withLock { $0.waiters.remove(id) }
    }
}
