internal import DocumentStore

extension Chunk {
    /// How one target stands.
    enum State: Hashable, Sendable {
        case pending
        case accepted
        case rejected(code: String, reason: String)
    }

    /// An attempt at one target that came to nothing.
    struct FailedAttempt: Hashable, Sendable {
        let at: Timestamp
        let code: String
        let reason: String
    }

    /// One target, and what has become of it.
    struct Entry: Sendable {
        /// nil once settled: a token is kept for as long as it is needed, and no longer.
        var target: Target?
        /// Whose it is; this stays.
        let registration: DocumentPath?
        var state: State
        /// When it settled.
        var settledAt: Timestamp?
        /// The last of the attempts that failed.
        var failures: [FailedAttempt] = []
        /// Before this time the push service wants nothing for the target.
        var notBefore: Timestamp?

        /// How many failed attempts are kept.
        static let maximumFailures = 10

        init(target: Target) {
            self.target = target
            registration = target.registration
            state = .pending
        }

        init(registration: DocumentPath?, state: State) {
            self.registration = registration
            self.state = state
        }
    }
}

extension Chunk.Entry {
    mutating func record(_ outcome: Outcome, at time: Timestamp) {
        switch outcome {
        case .accepted: settle(.accepted, at: time)
        case .rejected(let rejection):
            settle(.rejected(code: rejection.code.rawValue, reason: rejection.reason), at: time)
        case .failed(let failure): fail(failure, at: time)
        }
    }

    private mutating func settle(_ state: Chunk.State, at time: Timestamp) {
        self.state = state
        settledAt = time
        target = nil
        notBefore = nil
    }

    private mutating func fail(_ failure: Failure, at time: Timestamp) {
        notBefore = failure.laneTrouble != nil ? nil : failure.retryAfter.map { time.adding($0) }
        failures.append(Chunk.FailedAttempt(at: time, code: failure.code.rawValue, reason: failure.reason))
        failures.removeFirst(max(0, failures.count - Self.maximumFailures))
    }
}
