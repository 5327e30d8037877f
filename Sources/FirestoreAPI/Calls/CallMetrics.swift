import Metrics
import Synchronization

/// The metrics of calls; docs/metrics.md describes them.
final class CallMetrics: Sendable {
    private struct Outcome: Hashable {
        let method: String
        let code: FirestoreStatus.Code
    }

    /// Creating a metric copies and looks up its labels, so each is created once. The labels are names in code.
    private let counters = Mutex<[Outcome: Counter]>([:])
    private let timers = Mutex<[String: Timer]>([:])

    /// Counts a call.
    ///
    /// - Parameters:
    ///   - method: the method's name in the proto.
    ///   - code: the code of the answer.
    func count(_ method: String, _ code: FirestoreStatus.Code) {
        let outcome = Outcome(method: method, code: code)
        let counter = counters.withLock { counters in
            if let counter = counters[outcome] { return counter }
            let counter = Counter(
                label: "pushgate_firestore_calls_total", dimensions: [("method", method), ("code", code.name)])
            counters[outcome] = counter
            return counter
        }
        counter.increment()
    }

    /// Records the time from a call's beginning to its answer's end.
    func record(_ method: String, _ duration: Duration) {
        let timer = timers.withLock { timers in
            if let timer = timers[method] { return timer }
            let timer = Timer(label: "pushgate_firestore_call_seconds", dimensions: [("method", method)])
            timers[method] = timer
            return timer
        }
        timer.record(duration: duration)
    }
}
