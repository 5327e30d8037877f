internal import DocumentStore
internal import Metrics
import Synchronization

/// One attempt at all pending targets of one chunk: hands out what to send, takes in outcomes from any thread, and gives
/// them out to be stored, one lot at a time.
final class ChunkPass: Sendable {
    /// The outcomes that have come in since the last were taken.
    struct Harvest: Sendable {
        /// The chunk as it now stands.
        var chunk: Chunk
        var sent = 0
        var rejections: [MessagingErrorCode: Int] = [:]
        var lastRejection: Rejection?
        /// Those of the whole pass.
        var failures: [MessagingErrorCode: Int] = [:]
        var deadTargets: [(target: Target, death: TokenDeath)] = []
        var foundTargets: [(target: Target, environment: APNsEnvironment)] = []
        /// A failure of the whole lane, in the whole pass.
        var laneFailure: Failure?
        var count = 0
    }

    /// The next thing for a sender to do.
    enum Step {
        case send(index: Int, target: Target)
        /// Everything has been tried, or the lane has failed.
        case end
        /// Nothing, for now: an outcome has to come first, or somebody else sends.
        case wait
    }

    fileprivate struct State {
        var harvest: Harvest
        var targets: ArraySlice<(index: Int, target: Target)>
        var probe: Probe
        var underWay = 0
        /// A Boolean value indicating whether a sender is between a step that was to send and the next.
        var isSending = false
        var isOver = false
        var isStoring = false
    }

    /// A target that goes first, alone, to find out whether its lane is open.
    fileprivate enum Probe {
        case none, toSend, underWay
    }

    let job: Job
    let prepared: any PreparedMessage
    let semaphore: LaneSemaphore
    private let answerTimer: Timer
    private let state: Mutex<State>

    /// - Parameters:
    ///   - targets: those to send to now.
    ///   - answerTimer: takes the time from the message's acceptance to each final answer.
    init(
        _ job: Job, _ prepared: any PreparedMessage, to targets: [(index: Int, target: Target)],
        within semaphore: LaneSemaphore, answerTimer: Timer
    ) {
        self.job = job
        self.prepared = prepared
        self.semaphore = semaphore
        self.answerTimer = answerTimer
        state = Mutex(
            State(harvest: Harvest(chunk: job.chunk), targets: targets[...], probe: job.isProbe ? .toSend : .none))
    }

    // MARK: Sending

    /// - Parameter isGoingOn: whether the caller has just done what the last step said; any other caller is one too many
    ///   while somebody sends.
    func next(isGoingOn: Bool) -> Step {
        state.withLock { state in
            if state.isSending, !isGoingOn { return .wait }
            let step = state.step()
            if case .send = step { state.isSending = true } else { state.isSending = false }
            return step
        }
    }

    /// To be called in place of an outcome when the lane failed before the target's turn came.
    func leave() { state.withLock { $0.underWay -= 1 } }

    /// A Boolean value indicating whether the whole lane has failed, so that the rest need not be tried.
    var isCutShort: Bool { state.withLock { $0.harvest.laneFailure != nil } }

    /// - Returns: whether this has shown that the lane, which was held up, is open.
    func record(_ outcome: Outcome, for target: Target, at index: Int, now: Timestamp) -> Bool {
        if outcome.isFinal { answerTimer.record(duration: now - job.message.acceptedAt) }
        return state.withLock { state in
            state.underWay -= 1
            state.harvest.record(outcome, for: target, at: index, now: now)
            return state.probe == .underWay && state.harvest.laneFailure == nil
        }
    }

    /// Settles all that is pending, because the message has expired.
    func expire(at now: Timestamp) {
        let outcome = Outcome.rejected(Rejection(code: .serverUnavailable, reason: "Expired"))
        state.withLock { state in
            for (index, target) in job.chunk.pendingTargets(at: .distantFuture) {
                state.harvest.record(outcome, for: target, at: index, now: now)
            }
            state.targets = []
        }
    }

    // MARK: Storing

    /// Gives out what has come in, if anything has, and nothing is being stored; ``stored()`` is to follow.
    func checkpoint() -> Harvest? {
        state.withLock { state in
            guard !state.isOver, !state.isStoring, state.harvest.count > 0 else { return nil }
            state.isStoring = true
            return state.harvest.take()
        }
    }

    /// Gives out the last lot, the pass being over; `nil` while one is being stored, at whose end it is given out.
    func end() -> Harvest? {
        state.withLock { state in
            guard !state.isStoring else { return nil }
            state.isStoring = true
            return state.harvest.take()
        }
    }

    /// To be called when a checkpoint is stored.
    ///
    /// - Returns: the last lot, if the pass has ended meanwhile.
    func stored() -> Harvest? {
        state.withLock { state in
            state.isStoring = state.isOver
            return state.isOver ? state.harvest.take() : nil
        }
    }

    var isOver: Bool { state.withLock(\.isOver) }
}

extension ChunkPass.State {
    fileprivate mutating func step() -> ChunkPass.Step {
        if isOver { return .wait }
        if probe == .underWay, underWay > 0 { return .wait }
        guard harvest.laneFailure == nil, let (index, target) = targets.popFirst() else {
            isOver = underWay == 0
            return isOver ? .end : .wait
        }
        underWay += 1
        probe = probe == .toSend ? .underWay : .none
        return .send(index: index, target: target)
    }
}

extension ChunkPass.Harvest {
    fileprivate mutating func record(_ outcome: Outcome, for target: Target, at index: Int, now: Timestamp) {
        chunk.entries[index].record(outcome, at: now)
        count += 1
        switch outcome {
        case .accepted(let acceptance):
            sent += 1
            if let environment = acceptance.environment { foundTargets.append((target, environment)) }
        case .rejected(let rejection):
            rejections[rejection.code, default: 0] += 1
            lastRejection = rejection
            if let death = rejection.death { deadTargets.append((target, death)) }
        case .failed(let failure):
            failures[failure.code, default: 0] += 1
            if failure.laneTrouble != nil { laneFailure = failure }
        }
    }

    fileprivate mutating func take() -> Self {
        defer { self = Self(chunk: chunk, failures: failures, laneFailure: laneFailure) }
        return self
    }
}

extension Outcome {
    fileprivate var isFinal: Bool { if case .failed = self { false } else { true } }
}
