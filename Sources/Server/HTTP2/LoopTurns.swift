import NIOCore
import Synchronization

/// Work that other threads hand to the event loop of a connection.
///
/// All work that waits is done in one turn, whose frames leave in one write: under load, an answer costs neither a
/// system call that wakes the loop nor one that writes to the socket.
final class LoopTurns: Sendable {
    typealias Work = @Sendable () -> Void

    private struct State {
        var waiting: [Work] = []
        /// A function called at the end of a turn; `nil` after the end of the connection.
        var onEnd: Work?
    }

    private let eventLoop: any EventLoop
    private let state = Mutex(State())

    /// Creates turns on an event loop, without work.
    init(on eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// Sets the function that is called at the end of each turn.
    func whenTurnEnds(_ onEnd: @escaping Work) { state.withLock { $0.onEnd = onEnd } }

    /// Releases the function that is called at the end of each turn.
    func close() { state.withLock { $0.onEnd = nil } }

    /// Does work in the next turn.
    func run(_ work: @escaping Work) {
        let isFirst = state.withLock { state in
            state.waiting.append(work)
            return state.waiting.count == 1
        }
        if isFirst { eventLoop.execute { self.takeTurn() } }
    }

    private func takeTurn() {
        let works = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for work in works { work() }
        state.withLock(\.onEnd)?()
    }
}
