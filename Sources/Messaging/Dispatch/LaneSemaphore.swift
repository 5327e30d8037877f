internal import DequeModule
import Synchronization

/// Counts the notifications of one lane that are on their way; who finds the window full waits in line.
final class LaneSemaphore: Sendable {
    private struct State {
        var free: Int
        var waiters: Deque<CheckedContinuation<Void, Never>> = []
    }

    private let state: Mutex<State>

    init(window: Int) { state = Mutex(State(free: window)) }

    /// Takes a place, at once if it can be.
    func acquire() async {
        if tryAcquire() { return }
        await withCheckedContinuation { continuation in
            let acquired = state.withLock { state in
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                state.waiters.append(continuation)
                return false
            }
            if acquired { continuation.resume() }
        }
    }

    func release() {
        let next = state.withLock { state in
            let next = state.waiters.popFirst()
            if next == nil { state.free += 1 }
            return next
        }
        next?.resume()
    }

    private func tryAcquire() -> Bool {
        state.withLock { state in
            guard state.free > 0 else { return false }
            state.free -= 1
            return true
        }
    }
}
