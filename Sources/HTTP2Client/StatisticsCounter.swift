internal import Synchronization

/// The counts of a client since it was made, at one moment.
public struct HTTP2ClientStatistics: Sendable, Equatable {
    /// The number of requests that are not finished: on a connection, or waiting for one.
    public var inFlight = 0
    /// The number of connections that were opened, or tried.
    public var connectionsOpened = 0
}

final class StatisticsCounter: Sendable {
    private let counts = Mutex(HTTP2ClientStatistics())

    var snapshot: HTTP2ClientStatistics { counts.withLock { $0 } }

    func began() { counts.withLock { $0.inFlight += 1 } }
    func finished() { counts.withLock { $0.inFlight -= 1 } }
    func openedConnection() { counts.withLock { $0.connectionsOpened += 1 } }
}
