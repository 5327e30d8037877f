import Synchronization

/// A signal that wakes tasks waiting for a condition, each time the condition may have become true.
package final class Signal: Sendable {
    private struct State {
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Wakes all waiting tasks. Call it after each change that may satisfy a condition.
    package func notify() {
        let waiters = state.withLock { state in
            defer { state.waiters.removeAll(keepingCapacity: true) }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume() }
    }

    /// Waits until the condition holds, the time limit has passed, or the task is cancelled.
    package func wait(
        atMost bound: Duration, clock: any Clock<Duration>, until condition: @escaping @Sendable () -> Bool
    ) async {
        guard bound > .zero, !condition() else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait(unless: condition) }
            group.addTask { try? await clock.sleep(for: bound) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Waits until the condition holds or the task is cancelled.
    func wait(unless condition: @escaping @Sendable () -> Bool) async {
        while !condition(), !Task.isCancelled { await nextSignal(unless: condition) }
    }

    /// Waits for the next signal. It registers first and then checks the condition, so a signal in between is not
    /// missed.
    private func nextSignal(unless condition: @Sendable () -> Bool) async {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.waiters[number] = continuation }
                if condition() || Task.isCancelled { wake(number) }
            }
        } onCancel: {
            wake(number)
        }
    }

    private func wake(_ number: Int) {
        state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
    }
}
