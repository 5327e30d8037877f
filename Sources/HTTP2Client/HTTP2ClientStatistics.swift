import Synchronization

/// The counts of a client since it was made, at one moment.
package struct HTTP2ClientStatistics: Sendable, Equatable {
    /// The number of unfinished requests: on a connection, or waiting for one.
    package var inFlight = 0
    /// The number of connections opened or attempted.
    package var connectionsOpened = 0
}

final class StatisticsCounter: Sendable {
    private let counts = Mutex(HTTP2ClientStatistics())

    var snapshot: HTTP2ClientStatistics { counts.withLock { $0 } }

    func began() { counts.withLock { $0.inFlight += 1 } }
    func finished() { counts.withLock { $0.inFlight -= 1 } }
    func openedConnection() { counts.withLock { $0.connectionsOpened += 1 } }
}
