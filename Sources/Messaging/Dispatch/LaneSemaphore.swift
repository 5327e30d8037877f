import DequeModule
import Synchronization

/// A limit on the notifications of one lane in flight. A sender that finds no free slot waits in a queue.
///
/// It is not a `Signal`, because no task waits: a released slot passes to the next sender's closure directly, on the
/// thread that releases it.
final class LaneSemaphore: Sendable {
    private struct State {
        var free: Int
        var waiting: Deque<@Sendable () -> Void> = []
        /// `true` while a thread hands slots to waiting senders; it also hands on those that others release in the
        /// meantime.
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

    /// Takes a slot if one is free.
    ///
    /// - Parameter wait: called later with a slot taken, if none is free now, on a thread that releases one. It is
    ///   brief, and may release and acquire slots.
    /// - Returns: `true` if a slot was free.
    func acquire(orLater wait: @autoclosure () -> @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard state.free > 0, state.waiting.isEmpty else {
                state.waiting.append(wait())
                return false
            }
            state.free -= 1
            return true
        }
    }

    /// Releases a slot, and calls the next waiting sender.
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
