import Synchronization

/// The metrics of one name by their labels, created on first use: creating one copies and looks up its labels.
///
/// The labels come from code, so their number is bounded.
final class KeptMetrics<Labels: Hashable & Sendable, Metric: Sendable>: Sendable {
    private let metrics = Mutex<[Labels: Metric]>([:])
    private let make: @Sendable (Labels) -> Metric

    init(_ make: @escaping @Sendable (Labels) -> Metric) { self.make = make }

    subscript(labels: Labels) -> Metric {
        metrics.withLock { metrics in
            if let metric = metrics[labels] { return metric }
            let metric = make(labels)
            metrics[labels] = metric
            return metric
        }
    }
}
