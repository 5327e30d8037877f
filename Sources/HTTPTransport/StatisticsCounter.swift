internal import Synchronization

/// Counts what the client does; written by the transport's thread, read by anyone.
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

    /// Connections opened for requests that failed all the same.
    func opened(_ connections: Int) {
        guard connections > 0 else { return }
        counts.withLock { $0.connectionsOpened += connections }
    }
}
