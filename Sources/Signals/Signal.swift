import Synchronization

/// A signal that wakes tasks waiting for a condition, each time the condition may have become true.
///
/// The owner changes its state, and calls ``notify()`` after that. A task is woken once, and only if its condition
/// holds at that moment; the others keep waiting.
///
/// The signal holds no lock of its own while it calls a condition, so a condition may take the lock of the owner.
/// Therefore ``notify()`` must not be called while a lock that a condition takes is held.
package final class Signal: Sendable {
    /// A condition for the end of a wait. It must be brief and change nothing: it is called on the threads of the
    /// waiting task and of ``notify()``, any number of times.
    package typealias Condition = @Sendable () -> Bool

    /// A handle to one task's wait.
    package struct Wait: Sendable {
        fileprivate let signal: Signal
        fileprivate let number: Int

        /// Ends the wait, even if its condition does not hold. It has no effect if the wait is over.
        package func end() { signal.end(number) }
    }

    private struct Waiter {
        let condition: Condition
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        /// The waiting tasks. Their numbers ascend in the order in which they began to wait.
        var waiters: [Int: Waiter] = [:]
        var lastNumber = 0

        /// The only waiting task, without the table, which may then change in place; or all of several.
        var waiting: (only: (number: Int, condition: Condition)?, waiters: [Int: Waiter]) {
            guard waiters.count == 1, let (number, waiter) = waiters.first else { return (nil, waiters) }
            return ((number, waiter.condition), [:])
        }
    }

    private let state = Mutex(State())

    /// Creates a signal that no task waits for.
    package init() {}

    /// The number of tasks that wait.
    package var waiterCount: Int { state.withLock(\.waiters.count) }

    /// Wakes the tasks whose condition holds, in the order in which they began to wait. Call it after each change that
    /// may satisfy a condition.
    package func notify() {
        // A task that is not in this copy yet checks its condition by itself, after the change.
        let (only, waiters) = state.withLock(\.waiting)
        if let only {
            if only.condition() { end(only.number) }
            return
        }
        let satisfied = waiters.compactMap { $0.value.condition() ? $0.key : nil }
        for number in satisfied.sorted() { end(number) }
    }

    // MARK: Waiting

    /// Waits until the condition holds or the task is cancelled. Another thread may change the state again before the
    /// task continues.
    ///
    /// - Parameter onWaiting: receives a handle to the wait as soon as the task waits. It is not called if the wait
    ///   ends at once.
    package func wait(until condition: @escaping Condition, onWaiting: (Wait) -> Void = { _ in }) async {
        guard !Task.isCancelled, !condition() else { return }
        let number = nextNumber()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                enter(Waiter(condition: condition, continuation: continuation), as: number)
                // Changes and cancellations before this point did not find the waiter.
                if Task.isCancelled || condition() { return end(number) }
                onWaiting(Wait(signal: self, number: number))
            }
        } onCancel: {
            end(number)
        }
    }

    /// Waits until the condition holds, even if the task is cancelled.
    package func waitEvenIfCancelled(until condition: @escaping Condition) async {
        guard !condition() else { return }
        let number = nextNumber()
        await withCheckedContinuation { continuation in
            enter(Waiter(condition: condition, continuation: continuation), as: number)
            // Changes before this point did not find the waiter.
            if condition() { end(number) }
        }
    }

    /// Waits until the condition holds, the time limit has passed, or the task is cancelled.
    package func wait(
        atMost bound: Duration, clock: any Clock<Duration>, until condition: @escaping Condition
    ) async {
        guard bound > .zero, !condition() else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait(until: condition) }
            group.addTask { try? await clock.sleep(for: bound) }
            await group.next()
            group.cancelAll()
        }
    }

    private func nextNumber() -> Int {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    private func enter(_ waiter: Waiter, as number: Int) {
        state.withLock { $0.waiters[number] = waiter }
    }

    /// Wakes a task, if it still waits.
    private func end(_ number: Int) {
        state.withLock { $0.waiters.removeValue(forKey: number) }?.continuation.resume()
    }
}
