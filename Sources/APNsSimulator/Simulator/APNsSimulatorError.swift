/// Why the simulator could not do what it was asked, with what to do about it.
public enum APNsSimulatorError: Error, CustomStringConvertible, Sendable {
    /// A file or folder could not be made or read.
    case files(operation: String, path: String, cause: String)
    /// The CA, the certificate or the provider key could not be made.
    case credentials(cause: String)
    /// A port could not be listened on.
    case listening(address: String, cause: String)
    /// Not as many notifications came as were waited for.
    case timedOut(waitingFor: Int, received: Int, seconds: Double)
    /// It was started while it was running, or after it was shut down.
    case startedTwice

    public var description: String {
        switch self {
        case .files(let operation, let path, let cause):
            "could not \(operation) \(path): \(cause). Choose a directory that this user may write to."
        case .credentials(let cause):
            "could not make the simulator's keys and certificates: \(cause)"
        case .listening(let address, let cause):
            "could not listen on \(address): \(cause). Choose another port, or 0 for any that is free."
        case .timedOut(let wanted, let received, let seconds):
            "waited \(seconds) s for \(wanted) notifications, and \(received) came"
        case .startedTwice:
            "this simulator has been started before; make another"
        }
    }
}
