internal import Synchronization

/// The commands that wait for the transport's thread; many may post, one takes.
final class Inbox: Sendable {
    private struct State {
        var commands: [Command] = []
        var isSignalled = false
        var isShutDown = false
    }

    private let state = Mutex(State())
    private let pipe: WakeUpPipe

    init(_ pipe: WakeUpPipe) {
        self.pipe = pipe
    }

    /// What becomes readable when there are commands.
    var readEnd: Int32 { pipe.readEnd }

    /// Answers false for a request that comes after the command to shut down, and drops it.
    func post(_ command: Command) -> Bool {
        let (isAccepted, needsSignal) = state.withLock { state in
            switch command {
            case .start where state.isShutDown: return (false, false)
            case .shutDown: state.isShutDown = true
            case .start, .cancel: break
            }
            state.commands.append(command)
            defer { state.isSignalled = true }
            return (true, !state.isSignalled)
        }
        if needsSignal { pipe.signal() }
        return isAccepted
    }

    /// All commands in the order they came; one signal stands for any number of them.
    ///
    /// - Parameter wasWoken: whether the pipe was seen to be readable. It is emptied before the commands are taken: a
    ///   signal that comes later than that belongs to a command that comes later too.
    func take(wasWoken: Bool) -> [Command] {
        if wasWoken { pipe.drain() }
        return state.withLock { state in
            defer {
                state.commands = []
                state.isSignalled = false
            }
            return state.commands
        }
    }
}
