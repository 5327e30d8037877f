import Signals

/// The presence of the client of an HTTP/2 connection, for the requests that depend on it. Use it on the connection's
/// event loop only.
///
/// A client that is killed closes its side like one that sends no more requests, so both count as gone, as over
/// HTTP/1.1. Complete requests are answered nevertheless; only those that watch it depend on the presence.
final class HTTP2ClientPresence {
    /// The client, for calls of gRPC: all those of a connection have the same one.
    let client = AwaitingCaller()
    private var callers: [ObjectIdentifier: AwaitingCaller] = [:]

    /// Tells a caller when the client goes, at once if it has gone.
    func watch(_ caller: AwaitingCaller) {
        guard client.isAwaiting else { return caller.leave() }
        callers[ObjectIdentifier(caller)] = caller
    }

    /// Forgets a caller whose stream has ended.
    func forget(_ caller: AwaitingCaller) { callers[ObjectIdentifier(caller)] = nil }

    /// Tells all callers that the client has closed its side of the connection.
    func leave() {
        client.leave()
        for caller in callers.values { caller.leave() }
        callers = [:]
    }
}
