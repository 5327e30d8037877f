/// The results of a run.
public struct FuzzReport: Sendable, CustomStringConvertible {
    public let seed: UInt64
    public let requests: Int
    public let cases: Int
    public let duration: Duration
    /// The number of answers of each status, by route.
    public let statuses: [String: [Int: Int]]
    public let findings: [Finding]
    public let start: Vitals?
    public let peak: Vitals?
    public let end: Vitals?

    /// Returns the number of answers in a hundred of statuses.
    public func answers(in hundred: Int) -> Int {
        statuses.values.flatMap(\.self).filter { $0.key / 100 == hundred }.map(\.value).reduce(0, +)
    }

    private var total: [(status: Int, count: Int)] {
        statuses.values.flatMap(\.self).reduce(into: [:]) { $0[$1.key, default: 0] += $1.value }
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private func count(of kinds: Fault.Kind...) -> Int {
        findings.filter { kinds.contains($0.fault.kind) }.map(\.count).reduce(0, +)
    }

    public var description: String {
        let seconds = max(0.001, duration / .seconds(1))
        var lines = findings.map(\.description)
        lines.append(
            "seed \(seed): \(requests) requests on \(cases) connections in \(Int(seconds)) s, \(Int(Double(requests) / seconds)) a second"
        )
        lines.append("answers: " + total.map { "\($0.status) × \($0.count)" }.joined(separator: ", "))
        lines.append(
            "unexpected server errors: \(count(of: .serverError)), hangs: \(count(of: .noAnswer, .notClosed, .unhealthy)), "
                + "crashes: \(count(of: .crash)), findings: \(findings.count)")
        if let start, let peak, let end {
            lines.append("gateway: at the start \(start); at most \(peak.residentBytes >> 20) MiB; at the end \(end)")
        }
        return lines.joined(separator: "\n")
    }

    /// The answers of each route by status, for reading.
    public var table: String {
        statuses.filter { !$0.key.hasPrefix("framing") }.sorted { $0.key < $1.key }
            .map { route, counts in
                let text = counts.sorted { $0.key < $1.key }.map { "\($0.key) × \($0.value)" }.joined(separator: ", ")
                return "  \(route)  \(text)"
            }.joined(separator: "\n")
    }
}
