import Signals

/// The presence of the client of an HTTP/2 connection, for the requests that depend on it. Use it on the connection's
/// event loop only.
///
/// A client that is killed closes its side like one that sends no more requests, so both count as gone, as over
/// HTTP/1.1. Complete requests are answered nevertheless; only those that watch it depend on the presence.
final class HTTP2ClientPresence {
    private var callers: [ObjectIdentifier: AwaitingCaller] = [:]
    private var hasLeft = false

    /// Tells a caller when the client goes, at once if it has gone.
    func watch(_ caller: AwaitingCaller) {
        guard !hasLeft else { return caller.leave() }
        callers[ObjectIdentifier(caller)] = caller
    }

    /// Forgets a caller whose stream has ended.
    func forget(_ caller: AwaitingCaller) { callers[ObjectIdentifier(caller)] = nil }

    /// Tells all callers that the client has closed its side of the connection.
    func leave() {
        hasLeft = true
        for caller in callers.values { caller.leave() }
        callers = [:]
    }
}
