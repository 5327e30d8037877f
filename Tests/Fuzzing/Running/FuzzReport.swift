/// The results of a run.
package struct FuzzReport: Sendable, CustomStringConvertible {
    /// The seed of the run.
    package let seed: UInt64
    /// The number of requests.
    package let requests: Int
    /// The number of cases, each of which is an exchange on one connection.
    package let cases: Int
    /// The duration of the run.
    package let duration: Duration
    /// The number of answers of each status, by route.
    package let statuses: [String: [Int: Int]]
    /// The different findings, each with the number of times that it was seen.
    package let findings: [Finding]
    /// The gateway's resources at the start; `nil` if they are unknown.
    package let start: Vitals?
    /// The highest resources of the gateway; `nil` if they are unknown.
    package let peak: Vitals?
    /// The gateway's resources at the end; `nil` if they are unknown.
    package let end: Vitals?

    /// Returns the number of answers with a status of the given hundred.
    package func answers(in hundred: Int) -> Int {
        statuses.values.flatMap(\.self).filter { $0.key / 100 == hundred }.map(\.value).reduce(0, +)
    }

    private var total: [(status: Int, count: Int)] {
        statuses.values.flatMap(\.self).reduce(into: [:]) { $0[$1.key, default: 0] += $1.value }
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private func count(of kinds: Fault.Kind...) -> Int {
        findings.filter { kinds.contains($0.fault.kind) }.map(\.count).reduce(0, +)
    }

    package var description: String {
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

    /// The answers of each route by status, as text.
    package var table: String {
        statuses.filter { !$0.key.hasPrefix("framing") }.sorted { $0.key < $1.key }
            .map { route, counts in
                let text = counts.sorted { $0.key < $1.key }.map { "\($0.key) × \($0.value)" }.joined(separator: ", ")
                return "  \(route)  \(text)"
            }.joined(separator: "\n")
    }
}
