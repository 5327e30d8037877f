internal import Metrics
import Synchronization

final class PrometheusCounter: CounterHandler {
    private let value = Atomic<Int64>(0)

    func increment(by amount: Int64) { value.add(amount, ordering: .relaxed) }
    func reset() { value.store(0, ordering: .relaxed) }

    var lines: [MetricLine] { [MetricLine(value: String(value.load(ordering: .relaxed)))] }
}

final class PrometheusGauge: MeterHandler {
    private let value = Mutex(0.0)

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }

    var lines: [MetricLine] { [MetricLine(value: value.withLock { $0.description })] }
}

/// Counts what was recorded by upper bounds, each including the ones before it.
final class PrometheusHistogram: RecorderHandler, TimerHandler {
    private struct State {
        var counts: [Int64]
        var sum = 0.0
        var count: Int64 = 0
    }

    static let secondBounds = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600,
    ]
    static let countBounds = [1.0, 2, 4, 8, 16, 32, 64, 128, 256, 512]

    private let bounds: [Double]
    private let state: Mutex<State>

    init(bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count)))
    }

    func record(_ value: Int64) { record(Double(value)) }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func record(_ value: Double) {
        let index = bounds.firstIndex { value <= $0 }
        state.withLock { state in
            if let index { state.counts[index] += 1 }
            state.sum += value
            state.count += 1
        }
    }

    var lines: [MetricLine] {
        let state = state.withLock { $0 }
        var below: Int64 = 0
        let buckets = zip(bounds, state.counts).map { bound, count in
            below += count
            return MetricLine(suffix: "_bucket", label: "le=\"\(bound)\"", value: String(below))
        }
        return buckets + [
            MetricLine(suffix: "_bucket", label: "le=\"+Inf\"", value: String(state.count)),
            MetricLine(suffix: "_sum", value: state.sum.description),
            MetricLine(suffix: "_count", value: String(state.count)),
        ]
    }
}
