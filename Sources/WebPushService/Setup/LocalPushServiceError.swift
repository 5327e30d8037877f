import SimulatorTools

/// An error of the push service. Its description contains the remedy.
public enum LocalPushServiceError: Error, CustomStringConvertible, Sendable {
    /// A file or folder could not be created or read.
    case files(operation: String, path: String, cause: String)
    /// A key or a certificate could not be created.
    case credentials(cause: String)
    /// Listening on a port failed.
    case listening(address: String, cause: String)
    /// Fewer messages than expected were received within the timeout.
    case timedOut(waitingFor: Int, received: Int, seconds: Double)
    /// The service was started while it was starting, or after it was shut down.
    case startedTwice
    /// The service does not run.
    case notRunning

    /// The error as a sentence, with the remedy.
    public var description: String {
        switch self {
        case .files(let operation, let path, let cause):
            "could not \(operation) \(path): \(cause.hasSuffix(".") ? cause : cause + ".") Choose a directory that this user may write to."
        case .credentials(let cause):
            "could not create the push service's keys and certificates: \(cause)"
        case .listening(let address, let cause):
            "could not listen on \(address): \(cause). Choose another port, or 0 for any free port."
        case .timedOut(let wanted, let received, let seconds):
            "waited \(seconds) s for \(wanted) messages and received \(received)"
        case .startedTwice:
            "this push service has already been started; create a new one"
        case .notRunning:
            "this push service does not run; start it first"
        }
    }
}

extension LocalPushServiceError {
    /// Translates an error at the start.
    init(_ error: SimulatorSetupError) {
        self =
            switch error {
            case .files(let operation, let path, let cause): .files(operation: operation, path: path, cause: cause)
            case .credentials(let cause): .credentials(cause: cause)
            }
    }
}
