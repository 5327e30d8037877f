internal import DequeModule
import Synchronization

/// The places for notifications of one lane that are on their way. A sender that finds none free waits in line.
final class LaneSemaphore: Sendable {
    private struct State {
        var free: Int
        var waiting: Deque<@Sendable () -> Void> = []
        /// A Boolean value indicating whether a thread passes places on; it passes on those that others free meanwhile.
        var isPassingOn = false

        mutating func next() -> (@Sendable () -> Void)? {
            guard free > 0, let next = waiting.popFirst() else {
                isPassingOn = false
                return nil
            }
            free -= 1
            isPassingOn = true
            return next
        }
    }

    private let state: Mutex<State>

    init(window: Int) { state = Mutex(State(free: window)) }

    /// Takes a place if one is free.
    ///
    /// - Parameter wait: called with a place taken, later, if none is; it must be brief.
    /// - Returns: whether a place was free.
    func acquire(orLater wait: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard state.free > 0, state.waiting.isEmpty else {
                state.waiting.append(wait)
                return false
            }
            state.free -= 1
            return true
        }
    }

    func release() {
        var next = state.withLock { state in
            state.free += 1
            return state.isPassingOn ? nil : state.next()
        }
        while let waiting = next {
            waiting()
            next = state.withLock { $0.next() }
        }
    }
}
