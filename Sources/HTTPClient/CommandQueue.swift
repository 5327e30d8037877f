import Synchronization

/// The commands for the transport's thread. Any thread may post; one thread takes.
final class CommandQueue: Sendable {
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

    /// The file descriptor that is readable while there are commands.
    var readEnd: Int32 { pipe.readEnd }

    /// Adds a command. Returns `false` and drops a request if the client is shut down.
    func post(_ command: Command) -> Bool {
        let (isAccepted, needsSignal) = state.withLock { state in
            switch command {
            case .start where state.isShutDown: return (false, false)
            case .shutDown: state.isShutDown = true
            case .start, .cancel, .cancelMatching, .renewConnections: break
            }
            state.commands.append(command)
            defer { state.isSignalled = true }
            return (true, !state.isSignalled)
        }
        if needsSignal { pipe.signal() }
        return isAccepted
    }

    /// Returns all commands in the order of their arrival. One signal stands for any number of them.
    ///
    /// - Parameter wasWoken: `true` if the pipe was readable. It is emptied before the commands are taken, so that a
    ///   later signal always belongs to a later command.
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

/// A command from another thread for the transport's thread.
enum Command: Sendable {
    case start(Transfer)
    case cancel(RequestID)
    case cancelMatching(@Sendable (HTTPClientRequest) -> Bool)
    /// Begin no further request on the open connections.
    case renewConnections
    /// Finish the requests in progress until the instant, then fail the others and end.
    case shutDown(by: ContinuousClock.Instant)
}
