import Synchronization

/// A gate that suspends callers until it opens or they are cancelled.
package final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of callers that wait.
    package var waiting: Int { state.withLock(\.waiters.count) }

    /// Opens the gate for good and resumes all waiting callers.
    package func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume() }
    }

    /// Returns once the gate is open or the calling task is cancelled.
    package func pass() async {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.waiters[number] = continuation }
                    return state.isOpen
                }
                if isOpen { continuation.resume() } else if Task.isCancelled { wake(number) }
            }
        } onCancel: {
            wake(number)
        }
    }

    private func wake(_ number: Int) {
        state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
    }
}
