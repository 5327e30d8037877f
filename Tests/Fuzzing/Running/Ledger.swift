import Synchronization

/// The results of a run so far.
final class Ledger: Sendable {
    private struct State {
        var nextCase = 0
        var requests = 0
        var statuses: [String: [Int: Int]] = [:]
        var findings: [Finding.Signature: Finding] = [:]
        /// The last cases of each lane.
        var latest: [Int: [FuzzCase]] = [:]
        var isStopped = false
        var peak: Vitals?
    }

    private let configuration: FuzzConfiguration
    private let deadline: ContinuousClock.Instant?
    private let state = Mutex(State())

    init(_ configuration: FuzzConfiguration, start: ContinuousClock.Instant) {
        self.configuration = configuration
        deadline = configuration.time.map { start + $0 }
    }

    // MARK: Cases

    /// Returns the number of the next case, or `nil` at the end of the run.
    func takeNumber() -> Int? {
        if let deadline, ContinuousClock.now >= deadline { return nil }
        return state.withLock { state in
            guard !state.isStopped, state.requests < configuration.requests,
                state.findings.count < configuration.maximumFindings
            else { return nil }
            defer { state.nextCase += 1 }
            guard let only = configuration.only else { return state.nextCase }
            return state.nextCase == 0 ? only : nil
        }
    }

    /// Starts a case. It stays suspect during the next case of its lane, which may be the first to find the gateway
    /// gone.
    func begin(_ fuzzCase: FuzzCase, lane: Int) {
        state.withLock { state in
            state.requests += fuzzCase.requestCount
            state.latest[lane] = (state.latest[lane] ?? []).suffix(1) + [fuzzCase]
        }
    }

    // MARK: Results

    func note(_ record: ConversationRecord, of fuzzCase: FuzzCase? = nil) {
        state.withLock { state in
            for answer in record.answers { state.statuses[answer.route, default: [:]][answer.status, default: 0] += 1 }
        }
        for fault in record.faults { note(fault, of: fuzzCase) }
    }

    func note(_ fault: Fault, of fuzzCase: FuzzCase? = nil) {
        let finding = Finding(fault, configuration, in: fuzzCase)
        state.withLock { state in
            if state.findings[finding.signature] == nil {
                state.findings[finding.signature] = finding
            } else {
                state.findings[finding.signature]?.count += 1
            }
        }
    }

    /// Ends the run: the gateway is gone, and the open cases are suspects.
    func noteCrash(_ detail: String) {
        var finding = Finding(Fault(.crash, detail), configuration)
        state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            finding.suspects = state.latest.values.flatMap(\.self).sorted { $0.number < $1.number }
                .map { Finding.Suspect(number: $0.number, bytes: $0.bytes(of: nil)) }
            state.findings[finding.signature] = finding
        }
    }

    func note(_ vitals: Vitals) {
        state.withLock { state in
            if vitals.residentBytes > state.peak?.residentBytes ?? 0 { state.peak = vitals }
        }
    }

    // MARK: The end

    func report(duration: Duration, start: Vitals?, end: Vitals?) -> FuzzReport {
        state.withLock { state in
            FuzzReport(
                seed: configuration.seed, requests: state.requests,
                cases: configuration.only == nil ? state.nextCase : 1,
                duration: duration, statuses: state.statuses,
                findings: state.findings.values.sorted {
                    ($0.fault.kind.rawValue, $0.number ?? 0) < ($1.fault.kind.rawValue, $1.number ?? 0)
                },
                start: start, peak: state.peak, end: end)
        }
    }
}
