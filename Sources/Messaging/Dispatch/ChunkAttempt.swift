import DocumentStore
import Metrics
import Synchronization

/// One attempt at all pending targets of a chunk. It gives out targets to send to, takes in outcomes from any thread,
/// and gives out batches of outcomes to store, one batch at a time.
final class ChunkAttempt: Sendable {
    /// The outcomes recorded since the last batch was taken.
    struct Results: Sendable {
        /// The chunk in its current state.
        var chunk: Chunk
        var sent = 0
        var superseded = 0
        var rejections: [MessagingErrorCode: Int] = [:]
        var lastRejection: Rejection?
        /// The failures of the whole attempt.
        var failures: [MessagingErrorCode: Int] = [:]
        var invalidTargets: [(target: Target, invalidation: TokenInvalidation)] = []
        var foundTargets: [(target: Target, app: AppIdentity)] = []
        /// A failure of the whole lane, at any time during the attempt.
        var laneFailure: Failure?
        /// `true` if targets were left out because this gateway may not send any longer.
        var isAbandoned = false
        var count = 0
    }

    /// The next action of a sender.
    enum Step {
        case send(index: Int, target: Target)
        /// All targets have been tried, or the lane has failed.
        case end
        /// Nothing for now: an outcome is missing, or another sender is active.
        case wait
    }

    fileprivate struct State {
        var results: Results
        var targets: ArraySlice<(index: Int, target: Target)>
        var probe: Probe
        var underWay = 0
        /// `true` while a sender is between a step to send and the next step.
        var isSending = false
        var isOver = false
        var isStoring = false
    }

    /// The state of a probe: a target that is sent first and alone, to test if its lane works again.
    fileprivate enum Probe {
        case none, toSend, underWay
    }

    let job: ChunkJob
    let prepared: any PreparedMessage
    let semaphore: LaneSemaphore
    private let answerTimer: Timer
    private let state: Mutex<State>

    /// Creates an attempt.
    ///
    /// - Parameters:
    ///   - targets: the targets to send to now.
    ///   - answerTimer: records the time from the message's acceptance to each final answer.
    init(
        _ job: ChunkJob, _ prepared: any PreparedMessage, to targets: [(index: Int, target: Target)],
        within semaphore: LaneSemaphore, answerTimer: Timer
    ) {
        self.job = job
        self.prepared = prepared
        self.semaphore = semaphore
        self.answerTimer = answerTimer
        state = Mutex(
            State(results: Results(chunk: job.chunk), targets: targets[...], probe: job.isProbe ? .toSend : .none))
    }

    // MARK: Sending

    /// Returns the next action of a sender.
    ///
    /// - Parameter isGoingOn: `true` if the caller has just carried out the last step. Any other caller must wait
    ///   while a sender is active.
    func next(isGoingOn: Bool) -> Step {
        state.withLock { state in
            if state.isSending, !isGoingOn { return .wait }
            let step = state.step()
            if case .send = step { state.isSending = true } else { state.isSending = false }
            return step
        }
    }

    /// Releases a target without an outcome. Call it if the lane failed before the target was sent to.
    func leave() { state.withLock { $0.underWay -= 1 } }

    /// Releases a target without an outcome, and gives out no more.
    func abandon() {
        state.withLock { state in
            state.underWay -= 1
            state.targets = []
            state.results.isAbandoned = true
        }
    }

    /// `true` if the whole lane has failed, so that the remaining targets are not tried.
    var isCutShort: Bool { state.withLock { $0.results.laneFailure != nil } }

    /// Records an outcome.
    ///
    /// - Parameter isSuperseded: `true` if a newer message has been accepted meanwhile: a failure is not retried then.
    /// - Returns: `true` if the outcome shows that the paused lane works again.
    func record(
        _ outcome: Outcome, for target: Target, at index: Int, isSuperseded: Bool = false, now: Timestamp
    ) -> Bool {
        if outcome.isFinal { answerTimer.record(duration: now - job.message.acceptedAt) }
        return state.withLock { state in
            state.underWay -= 1
            if isSuperseded, case .failed(let failure) = outcome {
                state.results.supersede(index, at: now)
                if failure.laneFailure != nil { state.results.laneFailure = failure }
            } else {
                state.results.record(outcome, for: target, at: index, now: now)
            }
            return state.probe == .underWay && state.results.laneFailure == nil
        }
    }

    /// Settles a target without sending to it, because a newer message replaces it.
    func supersede(_ index: Int, at now: Timestamp) {
        state.withLock { state in
            state.underWay -= 1
            state.results.supersede(index, at: now)
        }
    }

    /// Settles the targets that newer messages replaced while the chunk was only on disk.
    func supersedeReplaced(at now: Timestamp) {
        let entries = job.chunk.entries
        guard entries.contains(where: \.isReplaced) else { return }
        state.withLock { state in
            for index in entries.indices where entries[index].isReplaced { state.results.supersede(index, at: now) }
            state.targets = state.targets.filter { !entries[$0.index].isReplaced }[...]
        }
    }

    /// Rejects a target whose message has expired while it waited.
    func expire(_ index: Int, _ target: Target, at now: Timestamp) {
        state.withLock { state in
            state.underWay -= 1
            state.results.record(.expired, for: target, at: index, now: now)
        }
    }

    /// Rejects all pending targets, because the message has expired.
    func expire(at now: Timestamp) {
        state.withLock { state in
            for (index, target) in job.chunk.pendingTargets(at: .distantFuture)
            where !job.chunk.entries[index].isReplaced {
                state.results.record(.expired, for: target, at: index, now: now)
            }
            state.targets = []
        }
    }

    // MARK: Storing

    /// Returns the recorded outcomes if there are any and no batch is being stored; call ``stored()`` afterwards.
    func checkpoint() -> Results? {
        state.withLock { state in
            guard !state.isOver, !state.isStoring, state.results.count > 0 else { return nil }
            state.isStoring = true
            return state.results.take()
        }
    }

    /// Returns the last batch after the end of the attempt; `nil` while a batch is being stored: ``stored()`` then
    /// returns it.
    func end() -> Results? {
        state.withLock { state in
            guard !state.isStoring else { return nil }
            state.isStoring = true
            return state.results.take()
        }
    }

    /// Ends the storing of a batch.
    ///
    /// - Returns: the last batch, if the attempt has ended in the meantime.
    func stored() -> Results? {
        state.withLock { state in
            state.isStoring = state.isOver
            return state.isOver ? state.results.take() : nil
        }
    }

    var isOver: Bool { state.withLock(\.isOver) }
}

extension ChunkAttempt.State {
    fileprivate mutating func step() -> ChunkAttempt.Step {
        if isOver { return .wait }
        if probe == .underWay, underWay > 0 { return .wait }
        guard results.laneFailure == nil, let (index, target) = targets.popFirst() else {
            isOver = underWay == 0
            return isOver ? .end : .wait
        }
        underWay += 1
        probe = probe == .toSend ? .underWay : .none
        return .send(index: index, target: target)
    }
}

extension ChunkAttempt.Results {
    fileprivate mutating func record(_ outcome: Outcome, for target: Target, at index: Int, now: Timestamp) {
        chunk.entries[index].record(outcome, at: now)
        count += 1
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
            if failure.laneFailure != nil { laneFailure = failure }
        }
    }

    fileprivate mutating func supersede(_ index: Int, at now: Timestamp) {
        chunk.entries[index].supersede(at: now)
        superseded += 1
        count += 1
    }

    fileprivate mutating func take() -> Self {
        defer { self = Self(chunk: chunk, failures: failures, laneFailure: laneFailure, isAbandoned: isAbandoned) }
        return self
    }
}

extension Outcome {
    fileprivate static let expired = Outcome.rejected(Rejection(code: .serverUnavailable, reason: "Expired"))

    var isFinal: Bool { if case .failed = self { false } else { true } }
}
