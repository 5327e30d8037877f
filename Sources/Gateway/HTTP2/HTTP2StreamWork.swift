internal import Synchronization

/// The number of a connection's requests that are being worked on, those included whose streams are closed.
final class HTTP2StreamWork: Sendable {
    private struct State {
        var count = 0
        var onEnd: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    func begin() { state.withLock { $0.count += 1 } }

    func end() {
        let onEnd = state.withLock { state in
            state.count -= 1
            defer { state.onEnd = nil }
            return state.onEnd
        }
        onEnd?()
    }

    /// Tells whether there are too many requests, and if so, calls a closure when the work on the next one ends.
    func isAtLeast(_ limit: Int, onEnd: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard state.count >= limit else { return false }
            state.onEnd = onEnd
            return true
        }
    }
}
