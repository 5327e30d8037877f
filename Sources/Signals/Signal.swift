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
        let number: Int
        let condition: Condition
        /// Resumed once, by the thread that removes the waiter. So it needs no check, which would allocate memory.
        let continuation: UnsafeContinuation<Void, Never>
    }

    /// The waiting tasks. Mostly there is one, which is inline, so that nothing is allocated for it.
    private struct Waiters {
        private(set) var first: Waiter?
        /// The others by their numbers.
        private(set) var others: [Int: Waiter] = [:]

        var count: Int { others.count + (first == nil ? 0 : 1) }

        mutating func insert(_ waiter: Waiter) {
            if first == nil { first = waiter } else { others[waiter.number] = waiter }
        }

        mutating func remove(_ number: Int) -> Waiter? {
            guard let first, first.number == number else { return others.removeValue(forKey: number) }
            self.first = others.popFirst()?.value
            return first
        }
    }

    private struct State {
        var waiters = Waiters()
        /// The numbers of tasks ascend in the order in which they began to wait.
        var lastNumber = 0
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
        let waiters = state.withLock(\.waiters)
        guard let first = waiters.first else { return }
        if waiters.others.isEmpty {
            if first.condition() { end(first.number) }
            return
        }
        var satisfied = waiters.others.compactMap { $0.value.condition() ? $0.key : nil }
        if first.condition() { satisfied.append(first.number) }
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
            await withUnsafeContinuation { continuation in
                enter(Waiter(number: number, condition: condition, continuation: continuation))
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
        await withUnsafeContinuation { continuation in
            enter(Waiter(number: number, condition: condition, continuation: continuation))
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

    private func enter(_ waiter: Waiter) { state.withLock { $0.waiters.insert(waiter) } }

    /// Wakes a task, if it still waits.
    private func end(_ number: Int) {
        state.withLock { $0.waiters.remove(number) }?.continuation.resume()
    }
}
