package import Metrics
import Synchronization

/// A `MetricsFactory` that keeps all metrics in memory and renders them in Prometheus' text format.
///
/// Counters and meters map directly to counters and gauges; recorders and timers become histograms, of plain numbers
/// and of seconds. A metric is never removed, because labels come from the code and not from requests.
package final class PrometheusRegistry: MetricsFactory {
    struct Key: Hashable {
        let name: String
        let labels: [Label]
    }

    /// A label of a metric. It is escaped on reading, because metrics are counted far more often than they are read.
    struct Label: Hashable {
        let name: String
        let value: String

        var text: String { "\(name)=\"\(PrometheusRegistry.escaped(value))\"" }
    }

    private let counters = Mutex<[Key: PrometheusCounter]>([:])
    private let gauges = Mutex<[Key: PrometheusGauge]>([:])
    private let histograms = Mutex<[Key: PrometheusHistogram]>([:])

    package init() {}

    // MARK: MetricsFactory

    /// Returns the counter with the label and dimensions, and creates it on first use.
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        find(label, dimensions, in: counters) { PrometheusCounter() }
    }

    /// Returns the gauge with the label and dimensions, and creates it on first use.
    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        find(label, dimensions, in: gauges) { PrometheusGauge() }
    }

    /// Returns the histogram of plain numbers with the label and dimensions, and creates it on first use.
    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        find(label, dimensions, in: histograms) { PrometheusHistogram(bounds: PrometheusHistogram.countBounds) }
    }

    /// Returns the histogram of seconds with the label and dimensions, and creates it on first use.
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        find(label, dimensions, in: histograms) { PrometheusHistogram(bounds: PrometheusHistogram.secondBounds) }
    }

    /// Does nothing: metrics are never removed.
    package func destroyCounter(_ handler: any CounterHandler) {}
    /// Does nothing: metrics are never removed.
    package func destroyMeter(_ handler: any MeterHandler) {}
    /// Does nothing: metrics are never removed.
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Does nothing: metrics are never removed.
    package func destroyTimer(_ handler: any TimerHandler) {}

    private func find<Metric: Sendable>(
        _ name: String, _ dimensions: [(String, String)], in table: borrowing Mutex<[Key: Metric]>,
        make: () -> Metric
    ) -> Metric {
        let key = Key(name: name, labels: dimensions.map { Label(name: $0, value: $1) })
        return table.withLock { table in
            if let metric = table[key] { return metric }
            let metric = make()
            table[key] = metric
            return metric
        }
    }

    private static func escaped(_ value: String) -> String {
        value.reduce(into: "") { text, character in
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.append(character)
            }
        }
    }

    // MARK: Text

    /// All metrics in Prometheus' text format, sorted by name.
    package var text: String {
        let families =
            Self.families(counters.withLock { $0 }, type: "counter") { $0.lines }
            + Self.families(gauges.withLock { $0 }, type: "gauge") { $0.lines }
            + Self.families(histograms.withLock { $0 }, type: "histogram") { $0.lines }
        return families.sorted().joined()
    }

    private static func families<Metric>(
        _ metrics: [Key: Metric], type: String, lines: (Metric) -> [MetricLine]
    ) -> [String] {
        Dictionary(grouping: metrics, by: \.key.name).map { name, members in
            let rows = members.map { (labels: $0.key.labels.map(\.text), metric: $0.value) }
                .sorted { $0.labels.lexicographicallyPrecedes($1.labels) }
                .flatMap { member in lines(member.metric).map { $0.text(name: name, labels: member.labels) } }
            return "# TYPE \(name) \(type)\n" + rows.joined()
        }
    }
}

/// A sample: the suffix of the metric's name, an additional label, and the value.
struct MetricLine {
    var suffix = ""
    var label: String?
    let value: String

    func text(name: String, labels: [String]) -> String {
        let all = labels + [label].compactMap { $0 }
        return name + suffix + (all.isEmpty ? "" : "{\(all.joined(separator: ","))}") + " \(value)\n"
    }
}

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

/// A histogram: the number of recorded values up to each bound. A rendered bucket includes the smaller ones.
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
