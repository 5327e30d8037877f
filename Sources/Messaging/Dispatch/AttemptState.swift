import DocumentStore

/// The state of an attempt at a chunk, without its I/O. It gives out targets to send to, takes in outcomes, and gives
/// out batches of outcomes to store, one batch at a time.
struct AttemptState: Sendable {
    /// The next action of a sender.
    enum Step: Sendable {
        case send(index: Int, target: Target)
        /// All targets have been tried, or the lane has failed: the last batch is to be stored.
        case end(AttemptResults)
        /// Nothing for now: an outcome is missing, another sender is active, or a batch is being stored.
        case wait
    }

    private enum Phase: Sendable {
        /// A sender gives out targets, or waits for a free slot to do so. Any other leaves that to it.
        case filling(OpenTargets)
        /// No sender is active: outcomes are missing.
        case sending(OpenTargets)
        /// All outcomes are there, and the last ones wait until the batch before them has been stored.
        case storing
        /// The last batch has been given out.
        case over
    }

    /// The targets of an attempt until it ends.
    private struct OpenTargets: Sendable {
        /// Those that were not given out.
        var rest: UntriedTargets
        var probe: Probe
        var underWay = 0
        /// `true` while a batch of outcomes is being stored.
        var isStoring = false

        var waitsForProbe: Bool { probe == .underWay && underWay > 0 }

        mutating func next() -> (index: Int, target: Target)? {
            guard let next = rest.popFirst() else { return nil }
            underWay += 1
            probe = probe == .toSend ? .underWay : .none
            return next
        }
    }

    /// The state of a probe: a target that is sent first and alone, to test if its lane works again.
    private enum Probe: Sendable {
        case none, toSend, underWay
    }

    private var phase: Phase
    private var results: AttemptResults

    /// Creates the state of an attempt at the targets that may be sent to at a time. Those that newer messages replaced
    /// while the chunk was only on disk settle at once, and the others if the message has expired.
    ///
    /// - Parameter keepsSettled: `true` if the results are to have the targets that settle.
    init(_ job: ChunkJob, at now: Timestamp, keepsSettled: Bool = false) {
        let hasExpired = job.message.expiresAt <= now
        let targets = hasExpired ? UntriedTargets() : UntriedTargets(of: job.chunk, at: now)
        results = AttemptResults(chunk: job.chunk)
        results.keepsSettled = keepsSettled
        phase = .sending(OpenTargets(rest: targets, probe: job.isProbe ? .toSend : .none))
        results.supersedeReplaced(at: now)
        if hasExpired { results.expirePending(at: now) }
    }

    /// `true` if all outcomes are there.
    var isOver: Bool { targets == nil }

    /// `true` if the whole lane has failed, so that the remaining targets are not tried.
    var isCutShort: Bool { results.laneFailure != nil }

    private var targets: OpenTargets? {
        switch phase {
        case .filling(let targets), .sending(let targets): targets
        case .storing, .over: nil
        }
    }

    private mutating func change(_ body: (inout OpenTargets) -> Void) {
        switch phase {
        case .filling(var targets):
            body(&targets)
            phase = .filling(targets)
        case .sending(var targets):
            body(&targets)
            phase = .sending(targets)
        case .storing, .over: break
        }
    }
}

/// The targets and their outcomes.
extension AttemptState {
    /// Returns the first action of a new sender.
    mutating func begin() -> Step {
        guard case .sending(let targets) = phase else { return .wait }
        return step(targets)
    }

    /// Returns the next action of the active sender.
    mutating func goOn() -> Step {
        guard let targets else { return .wait }
        return step(targets)
    }

    private mutating func step(_ current: OpenTargets) -> Step {
        var targets = current
        guard !targets.waitsForProbe else { return wait(targets) }
        if !isCutShort, let (index, target) = targets.next() {
            phase = .filling(targets)
            return .send(index: index, target: target)
        }
        guard targets.underWay == 0 else { return wait(targets) }
        phase = targets.isStoring ? .storing : .over
        return targets.isStoring ? .wait : .end(results.take())
    }

    private mutating func wait(_ targets: OpenTargets) -> Step {
        phase = .sending(targets)
        return .wait
    }

    /// Releases a target without an outcome if the lane failed before the target was sent to.
    ///
    /// - Returns: `true` if it did.
    mutating func leaveIfCutShort() -> Bool {
        if isCutShort { leave() }
        return isCutShort
    }

    private mutating func leave() { change { $0.underWay -= 1 } }

    /// Releases a target without an outcome, and gives out no more.
    mutating func abandon() {
        change { targets in
            targets.underWay -= 1
            targets.rest = UntriedTargets()
        }
        results.isAbandoned = true
    }

    /// Records an outcome.
    ///
    /// - Parameter isSuperseded: `true` if a newer message has been accepted meanwhile: a failure is not retried then.
    /// - Returns: `true` if the outcome shows that the paused lane works again.
    mutating func record(
        _ outcome: Outcome, for target: Target, at index: Int, isSuperseded: Bool, now: Timestamp
    ) -> Bool {
        leave()
        if isSuperseded, case .failed(let failure) = outcome {
            results.supersede(index, at: now)
            if failure.laneFailure != nil { results.laneFailure = failure }
        } else {
            results.record(outcome, for: target, at: index, now: now)
        }
        return targets?.probe == .underWay && !isCutShort
    }

    /// Settles a target without sending to it, because a newer message replaces it.
    mutating func supersede(_ index: Int, at now: Timestamp) {
        leave()
        results.supersede(index, at: now)
    }

    /// Rejects a target whose message has expired while it waited.
    mutating func expire(_ index: Int, _ target: Target, at now: Timestamp) {
        leave()
        results.record(.expired, for: target, at: index, now: now)
    }
}

/// The batches of outcomes.
extension AttemptState {
    /// Returns the recorded outcomes if there are any and no batch is being stored; call ``stored()`` afterwards.
    mutating func checkpoint() -> AttemptResults? {
        guard let targets, !targets.isStoring, results.count > 0 else { return nil }
        change { $0.isStoring = true }
        return results.take()
    }

    /// Ends the storing of a batch that is not the last one.
    ///
    /// - Returns: the last batch, if the attempt has ended in the meantime.
    mutating func stored() -> AttemptResults? {
        guard case .storing = phase else {
            change { $0.isStoring = false }
            return nil
        }
        phase = .over
        return results.take()
    }
}

/// The outcomes of an attempt since the last batch was taken.
struct AttemptResults: Sendable {
    /// The chunk in its current state.
    var chunk: Chunk
    fileprivate(set) var sent = 0
    fileprivate(set) var superseded = 0
    fileprivate(set) var rejections: [MessagingErrorCode: Int] = [:]
    fileprivate(set) var lastRejection: Rejection?
    /// The failures of the whole attempt.
    fileprivate(set) var failures: [MessagingErrorCode: Int] = [:]
    /// `true` if one of them at least was more than a wait for a turn.
    fileprivate(set) var hasTried = false
    fileprivate(set) var invalidTargets: [(target: Target, invalidation: TokenInvalidation)] = []
    fileprivate(set) var foundTargets: [(target: Target, app: AppIdentity)] = []
    /// A failure of the whole lane, at any time during the attempt.
    fileprivate(set) var laneFailure: Failure?
    /// `true` if targets were left out because this gateway may not send any longer.
    fileprivate(set) var isAbandoned = false
    fileprivate var count = 0
    /// The targets that have settled, if they are kept.
    fileprivate(set) var settledTargets: [(index: Int, target: Target)] = []
    fileprivate var keepsSettled = false
}

extension AttemptResults {
    /// Creates the outcomes of a job with nothing to send: its targets are superseded if newer messages replace them,
    /// and otherwise rejected, because the message has expired.
    ///
    /// - Parameter keepsSettled: `true` if the results are to have the targets that settle.
    init(ofUnsent job: ChunkJob, at now: Timestamp, keepsSettled: Bool) {
        self.init(chunk: job.chunk, keepsSettled: keepsSettled)
        supersedeReplaced(at: now)
        expirePending(at: now)
    }

    fileprivate mutating func supersedeReplaced(at now: Timestamp) {
        for index in chunk.entries.indices where chunk.entries[index].isReplaced { supersede(index, at: now) }
    }

    fileprivate mutating func expirePending(at now: Timestamp) {
        for (index, target) in chunk.pendingTargets(at: .distantFuture) {
            record(.expired, for: target, at: index, now: now)
        }
    }

    fileprivate mutating func record(_ outcome: Outcome, for target: Target, at index: Int, now: Timestamp) {
        chunk.entries[index].record(outcome, at: now)
        count += 1
        if keepsSettled, outcome.isFinal { settledTargets.append((index, target)) }
        switch outcome {
        case .accepted(let acceptance):
            sent += 1
            if let app = acceptance.found { foundTargets.append((target, app)) }
        case .rejected(let rejection):
            rejections[rejection.code, default: 0] += 1
            lastRejection = rejection
            if let invalidation = rejection.invalidation { invalidTargets.append((target, invalidation)) }
        case .failed(let failure):
            failures[failure.code, default: 0] += 1
            hasTried = hasTried || failure.isAttempt
            if failure.laneFailure != nil { laneFailure = failure }
        }
    }

    fileprivate mutating func supersede(_ index: Int, at now: Timestamp) {
        if keepsSettled, let target = chunk.entries[index].target { settledTargets.append((index, target)) }
        chunk.entries[index].supersede(at: now)
        superseded += 1
        count += 1
    }

    fileprivate mutating func take() -> Self {
        defer {
            self = Self(
                chunk: chunk, failures: failures, hasTried: hasTried, laneFailure: laneFailure,
                isAbandoned: isAbandoned, keepsSettled: keepsSettled)
        }
        return self
    }
}

/// The targets of a chunk that may be sent to at a time, without those that newer messages replace. They are found one
/// by one in the chunk as it was at the beginning, so that they need no list.
struct UntriedTargets: Sendable {
    private var entries: ArraySlice<Chunk.Entry>
    private let time: Timestamp

    /// No targets.
    init() {
        entries = []
        time = .distantPast
    }

    init(of chunk: Chunk, at time: Timestamp) {
        entries = chunk.entries[...]
        self.time = time
    }

    /// Returns the next target, with its position in the chunk.
    mutating func popFirst() -> (index: Int, target: Target)? {
        while let entry = entries.first {
            let index = entries.startIndex
            entries = entries.dropFirst()
            if !entry.isReplaced, let target = entry.pendingTarget(at: time) { return (index, target) }
        }
        return nil
    }
}

extension Outcome {
    fileprivate static let expired = Outcome.rejected(Rejection(code: .serverUnavailable, reason: "Expired"))

    var isFinal: Bool { if case .failed = self { false } else { true } }
}
