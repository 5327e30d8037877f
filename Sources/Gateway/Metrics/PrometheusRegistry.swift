public import Metrics
import Synchronization

/// A `MetricsFactory` that keeps everything in memory and renders it in Prometheus' text format.
///
/// Counters and gauges are themselves; recorders and timers become histograms, of plain numbers and of seconds. A metric
/// lives as long as the registry: labels here come from code, not from requests.
public final class PrometheusRegistry: MetricsFactory {
    struct Key: Hashable {
        let name: String
        let labels: [Label]
    }

    /// Escaped when it is read and not here: metrics are counted far more often.
    struct Label: Hashable {
        let name: String
        let value: String

        var text: String { "\(name)=\"\(PrometheusRegistry.escaped(value))\"" }
    }

    private let counters = Mutex<[Key: PrometheusCounter]>([:])
    private let gauges = Mutex<[Key: PrometheusGauge]>([:])
    private let histograms = Mutex<[Key: PrometheusHistogram]>([:])

    public init() {}

    // MARK: MetricsFactory

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        find(label, dimensions, in: counters) { PrometheusCounter() }
    }

    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        find(label, dimensions, in: gauges) { PrometheusGauge() }
    }

    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        find(label, dimensions, in: histograms) { PrometheusHistogram(bounds: PrometheusHistogram.countBounds) }
    }

    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        find(label, dimensions, in: histograms) { PrometheusHistogram(bounds: PrometheusHistogram.secondBounds) }
    }

    public func destroyCounter(_ handler: any CounterHandler) {}
    public func destroyMeter(_ handler: any MeterHandler) {}
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    public func destroyTimer(_ handler: any TimerHandler) {}

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

    /// Everything recorded so far, sorted by name.
    public var text: String {
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

/// One sample: what is appended to the metric's name, the label it adds, and its value.
struct MetricLine {
    var suffix = ""
    var label: String?
    let value: String

    func text(name: String, labels: [String]) -> String {
        let all = labels + [label].compactMap { $0 }
        return name + suffix + (all.isEmpty ? "" : "{\(all.joined(separator: ","))}") + " \(value)\n"
    }
}
