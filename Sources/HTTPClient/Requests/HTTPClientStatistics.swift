import Synchronization

/// The counts of a client since it was made, at one moment.
package struct HTTPClientStatistics: Sendable, Equatable {
    /// The number of accepted requests, finished or not.
    package var requests = 0
    /// The number of unfinished requests: on a connection, or waiting for one.
    package var inFlight = 0
    /// The number of requests with a response, whatever its status.
    package var answered = 0
    /// The number of connections that were opened.
    package var connectionsOpened = 0
    /// The numbers of requests without a response, by the kind of error.
    package var failures: [HTTPClientError.Kind: Int] = [:]

    package init() {}
}

/// The counts of a client. The transport's thread writes them; any thread reads them.
final class StatisticsCounter: Sendable {
    private let counts = Mutex(HTTPClientStatistics())

    var snapshot: HTTPClientStatistics {
        counts.withLock { $0 }
    }

    func accepted() {
        counts.withLock {
            $0.requests += 1
            $0.inFlight += 1
        }
    }

    func finished(_ result: Result<HTTPClientResponse, HTTPClientError>) {
        counts.withLock {
            $0.inFlight -= 1
            switch result {
            case .success(let response):
                $0.answered += 1
                $0.connectionsOpened += response.connectionsOpened
            case .failure(let error):
                $0.failures[error.kind, default: 0] += 1
            }
        }
    }

    /// Counts the connections that were opened for requests that failed.
    func opened(_ connections: Int) {
        guard connections > 0 else { return }
        counts.withLock { $0.connectionsOpened += connections }
    }
}
