import Metrics

/// The count of one method's calls by their status.
struct FirestoreCalls: Sendable {
    private static let label = "pushgate_firestore_requests_total"

    private let method: String
    private let successes: Counter

    /// Makes the count of a method.
    ///
    /// - Parameter method: The name of the method in gRPC; `REST` for all requests over REST.
    init(of method: String) {
        self.method = method
        successes = Self.counter(method, "OK")
    }

    /// Counts a call.
    ///
    /// - Parameter status: gRPC's name of the status; `nil` for a success.
    func count(_ status: String?) {
        guard let status else { return successes.increment() }
        Self.counter(method, status).increment()
    }

    private static func counter(_ method: String, _ status: String) -> Counter {
        Counter(label: label, dimensions: [("method", method), ("status", status)])
    }
}
