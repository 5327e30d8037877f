public import DocumentStore
internal import ServiceLifecycle
import Synchronization

/// How far one multicast has come.
public struct DeliveryProgress: Hashable, Sendable {
    /// How many targets it was sent to.
    public internal(set) var attempted = 0
    /// How many the push services took.
    public internal(set) var sent = 0
    /// How many registrations were removed because their token is dead.
    public internal(set) var pruned = 0
    /// How many of the targets gave each error: the final ones, and those whose last attempt failed and is tried again.
    public var errors: [MessagingErrorCode: Int] {
        failures.values.reduce(rejections) { $0.merging($1, uniquingKeysWith: +) }
    }

    /// How many are not settled yet, and still to be sent.
    public var pending: Int { attempted - sent - rejections.values.reduce(0, +) }

    /// The last of those that are final.
    public internal(set) var lastRejection: Rejection?

    var rejections: [MessagingErrorCode: Int] = [:]
    /// By the number of the chunk whose last attempt they are of.
    var failures: [Int: [MessagingErrorCode: Int]] = [:]
}

/// A multicast that has been accepted: it is durable, and this is how to watch it settle.
public final class Delivery: Sendable {
    public let messageID: String

    private struct State {
        var progress: DeliveryProgress
        var unsettledChunks: Int
        /// The number of chunks that have neither been attempted nor been put off with their lane.
        var untriedChunks: Int
        /// The chunks that were put off at least once, by number.
        var postponedChunks: Set<Int> = []
        /// When those of them are due that are not under way.
        var nextTries: [Int: Timestamp] = [:]
    }

    private let state: Mutex<State>
    private let changed = Bell()
    /// A Boolean value indicating whether the gateway stops, so that nothing is tried again.
    private let isStopping = Atomic(false)

    init(messageID: String, targets: Int, chunks: Int) {
        self.messageID = messageID
        state = Mutex(
            State(
                progress: DeliveryProgress(attempted: targets), unsettledChunks: chunks,
                untriedChunks: chunks))
    }

    public var progress: DeliveryProgress { state.withLock(\.progress) }

    /// Waits until every target has settled and what follows from it has been stored, or for the time given; in either
    /// case gives the progress.
    ///
    /// - Parameter deadline: the end of the wait by the calendar. The wait ends before it when nothing more can be tried until
    ///   then: what failed is due later, its lane is held up, or the gateway stops.
    public func progress(
        waiting bound: Duration, forRetriesUntil deadline: Timestamp = .distantFuture, clock: any Clock<Duration>
    ) async -> DeliveryProgress {
        await withGracefulShutdownHandler {
            await changed.wait(atMost: bound, clock: clock) { self.isOver(by: deadline) }
        } onGracefulShutdown: {
            self.isStopping.store(true, ordering: .releasing)
            self.changed.ring()
        }
        return progress
    }

    /// As ``progress(waiting:forRetriesUntil:clock:)``, and no longer than until the first attempt at each target is over, or
    /// its lane is held up: from then on it is a matter of retries.
    public func firstAttempts(waiting bound: Duration, clock: any Clock<Duration>) async -> DeliveryProgress {
        await changed.wait(atMost: bound, clock: clock) { self.isTried }
        return progress
    }

    private var isTried: Bool { state.withLock { $0.untriedChunks <= 0 } }

    /// Returns whether nothing is under way, or will be by a time.
    private func isOver(by deadline: Timestamp) -> Bool {
        let isStopping = isStopping.load(ordering: .acquiring)
        return state.withLock { state in
            if isStopping, state.untriedChunks <= 0 { return true }
            return state.unsettledChunks <= state.nextTries.count && state.nextTries.values.allSatisfy { $0 > deadline }
        }
    }

    // MARK: What the dispatcher tells

    func update(_ change: (inout DeliveryProgress) -> Void) {
        state.withLock { change(&$0.progress) }
    }

    /// To be called when an attempt at a chunk begins.
    func chunkStarted(_ number: Int) {
        state.withLock { state in
            if !state.nextTries.isEmpty { state.nextTries[number] = nil }
        }
    }

    /// To be called when a chunk has been put off: after an attempt, or because its lane is held up.
    ///
    /// - Parameter time: when it is due; `nil` for as long as its lane is held up.
    func chunkPostponed(_ number: Int, until time: Timestamp?) {
        state.withLock { state in
            if state.postponedChunks.insert(number).inserted { state.untriedChunks -= 1 }
            state.nextTries[number] = time ?? .distantFuture
        }
        changed.ring()
    }

    /// To be called once for each chunk, when its last target has settled and that is stored.
    func chunkSettled(_ number: Int) {
        state.withLock { state in
            state.unsettledChunks -= 1
            state.nextTries[number] = nil
            if !state.postponedChunks.contains(number) { state.untriedChunks -= 1 }
        }
        changed.ring()
    }
}
