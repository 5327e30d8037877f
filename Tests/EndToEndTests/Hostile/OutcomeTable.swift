import TestSupport

/// The number of requests by kind and outcome, for a failed test's message.
struct OutcomeTable: CustomStringConvertible {
    struct Row: Hashable {
        let kind: String
        let outcome: String
        let isAllowed: Bool
    }

    private var counts: [Row: Int] = [:]
    private(set) var slowest = Duration.zero

    init(_ results: [(request: BadRequest, result: RawOutcome)]) {
        for (request, result) in results {
            let outcome = BadRequest.outcome(of: result)
            let row = Row(kind: request.kind, outcome: outcome, isAllowed: request.allowed.contains(outcome))
            counts[row, default: 0] += 1
            slowest = max(slowest, result.duration)
        }
    }

    var wrong: Int { counts.filter { !$0.key.isAllowed }.values.reduce(0, +) }

    var description: String {
        counts.sorted { ($0.key.kind, $0.key.outcome) < ($1.key.kind, $1.key.outcome) }
            .map { row, count in "\(row.isAllowed ? "  " : "✘ ")\(row.kind): \(row.outcome) × \(count)" }
            .joined(separator: "\n") + "\nslowest: \(slowest)"
    }
}
