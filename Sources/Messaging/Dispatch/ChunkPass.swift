internal import DocumentStore
internal import Metrics
import Synchronization

/// One attempt at all pending targets of one chunk: outcomes come in from many tasks, and are taken out to be stored.
final class ChunkPass: Sendable {
    /// What has come in since it was last taken.
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

    private let acceptedAt: Timestamp
    private let answerTimer: Timer
    private let state: Mutex<Harvest>
    private let isOver = Atomic(false)
    private let ended = Bell()

    /// - Parameters:
    ///   - acceptedAt: when its message was.
    ///   - answerTimer: takes the time from then to each final answer.
    init(_ chunk: Chunk, acceptedAt: Timestamp, answerTimer: Timer) {
        self.acceptedAt = acceptedAt
        self.answerTimer = answerTimer
        state = Mutex(Harvest(chunk: chunk))
    }

    /// Whether the whole lane has failed, so that the rest need not be tried.
    var isCutShort: Bool { state.withLock { $0.laneFailure != nil } }

    /// - Parameter isAnswer: whether a transport has said so.
    func record(_ outcome: Outcome, for target: Target, at index: Int, now: Timestamp, isAnswer: Bool = true) {
        if isAnswer, outcome.isFinal { answerTimer.record(duration: now - acceptedAt) }
        state.withLock { harvest in
            harvest.chunk.entries[index].record(outcome, at: now)
            harvest.count += 1
            switch outcome {
            case .accepted(let acceptance):
                harvest.sent += 1
                if let environment = acceptance.environment { harvest.foundTargets.append((target, environment)) }
            case .rejected(let rejection):
                harvest.rejections[rejection.code, default: 0] += 1
                harvest.lastRejection = rejection
                if let death = rejection.death { harvest.deadTargets.append((target, death)) }
            case .failed(let failure):
                harvest.failures[failure.code, default: 0] += 1
                if failure.laneTrouble != nil { harvest.laneFailure = failure }
            }
        }
    }

    func harvest() -> Harvest {
        state.withLock { harvest in
            defer {
                harvest = Harvest(
                    chunk: harvest.chunk, failures: harvest.failures, laneFailure: harvest.laneFailure)
            }
            return harvest
        }
    }

    /// To be called when every target has been tried.
    func end() {
        isOver.store(true, ordering: .releasing)
        ended.ring()
    }

    /// Waits for the end, or for the time given.
    ///
    /// - Returns: whether it has come.
    func ends(within bound: Duration, clock: any Clock<Duration>) async -> Bool {
        await ended.wait(atMost: bound, clock: clock) { self.isOver.load(ordering: .acquiring) }
        return isOver.load(ordering: .acquiring)
    }
}

extension Outcome {
    fileprivate var isFinal: Bool { if case .failed = self { false } else { true } }
}
