package import DocumentStore
import ServiceLifecycle
import Signals
import Synchronization

/// The progress of a message's delivery.
package struct DeliveryProgress: Hashable, Sendable {
    /// The number of targets.
    package internal(set) var attempted = 0
    /// The number of registrations that were left out: excluded ones, ones without a token, and ones with the token
    /// of another.
    package internal(set) var excluded = 0
    /// The number of notifications that the push services accepted.
    package internal(set) var sent = 0
    /// The number of targets that a newer message replaced before a push service accepted this one.
    package internal(set) var superseded = 0
    /// The number of registrations that were removed because their token is invalid.
    package internal(set) var pruned = 0
    /// The number of targets by error: rejected ones, and ones whose last attempt failed and is retried.
    package var errors: [MessagingErrorCode: Int] {
        failures.values.reduce(rejections) { $0.merging($1, uniquingKeysWith: +) }
    }

    /// The number of targets that are not settled yet.
    package var pending: Int { attempted - sent - superseded - rejections.values.reduce(0, +) }

    /// The last rejection.
    package internal(set) var lastRejection: Rejection?

    var rejections: [MessagingErrorCode: Int] = [:]
    /// The failures by the number of the chunk, from its last attempt.
    var failures: [Int: [MessagingErrorCode: Int]] = [:]

    init() {}

    /// The progress of a message without targets.
    ///
    /// - Parameter excluded: the number of registrations that were left out.
    package init(excluded: Int) { self.excluded = excluded }
}

/// The in-memory handle of a message that is being accepted or was accepted. Requests use it to await outcomes.
package final class Delivery: Sendable {
    /// The id of the message.
    package let messageID: String

    /// The condition that ends a wait.
    fileprivate enum End {
        case acceptance
        /// All targets are known.
        case completeness
        case firstAttempts
        /// Nothing is in flight, and nothing will be tried again by a time.
        case everything(by: Timestamp)
    }

    fileprivate struct State {
        var progress = DeliveryProgress()
        var acceptance: Result<Void, StoreError>?
        /// `true` if all targets are known.
        var isComplete = false
        var unsettledChunks = 0
        /// The number of chunks that have neither been attempted nor been postponed with their lane.
        var untriedChunks = 0
        /// The numbers of the chunks that were postponed at least once.
        var postponedChunks: Set<Int> = []
        /// The times at which postponed chunks are due, without those in flight.
        var nextTries: [Int: Timestamp] = [:]
        /// `true` if the gateway stops, so that nothing is retried.
        var isStopping = false
    }

    private let state = Mutex(State())
    private let changed = Signal()
    private let deadlines: Deadlines

    /// The maximum wait for the rest of an audience to be read, after any other wait. Reading takes a second or two,
    /// unless the disk is full or many audiences are read at once. Clients close the connection after 15 s.
    private static let completenessBound = Duration.seconds(4)

    /// Creates a delivery.
    ///
    /// - Parameter deadlines: the timeouts of waits.
    init(messageID: String, deadlines: Deadlines) {
        self.messageID = messageID
        self.deadlines = deadlines
    }

    /// The progress at this moment.
    package var progress: DeliveryProgress { state.withLock(\.progress) }

    // MARK: Waiting

    /// Waits until the message is stored on disk, even if the task is cancelled.
    ///
    /// - Throws: the error because of which it was not accepted.
    func accepted() async throws(StoreError) {
        await changed.waitEvenIfCancelled { self.hasCome(.acceptance) }
        try state.withLock(\.acceptance)?.get()
    }

    /// Waits until every target has settled, or for the given time, and returns the progress.
    ///
    /// - Parameter deadline: the end of the wait as a time of the wall clock. The wait ends earlier if nothing more
    ///   can be tried until then: failed targets are due later, their lane is paused, or the gateway stops.
    /// - Throws: the error because of which the message was not accepted.
    package func progress(
        waiting bound: Duration, forRetriesUntil deadline: Timestamp = .distantFuture
    ) async throws(StoreError) -> DeliveryProgress {
        await waitUnlessStopping(for: .everything(by: deadline), atMost: bound)
        return try await acceptedProgress()
    }

    /// Waits like ``progress(waiting:forRetriesUntil:)``, but only until the first attempt at each target has ended
    /// or its lane is paused. Any further outcome depends on retries.
    package func firstAttempts(waiting bound: Duration) async throws(StoreError) -> DeliveryProgress {
        await wait(for: .firstAttempts, atMost: bound)
        return try await acceptedProgress()
    }

    /// Returns the progress of a stored message, with the number of all its targets.
    private func acceptedProgress() async throws(StoreError) -> DeliveryProgress {
        try await accepted()
        if !hasCome(.completeness) {
            await waitUnlessStopping(for: .completeness, atMost: Self.completenessBound)
        }
        return progress
    }

    private func waitUnlessStopping(for end: End, atMost bound: Duration) async {
        await withGracefulShutdownHandler {
            await wait(for: end, atMost: bound)
        } onGracefulShutdown: {
            self.change { $0.isStopping = true }
        }
    }

    /// Waits until a condition holds, the time limit has passed, or the task is cancelled.
    private func wait(for end: End, atMost bound: Duration) async {
        guard bound > .zero else { return }
        var deadline: Int?
        await changed.wait {
            self.hasCome(end)
        } onWaiting: { wait in
            deadline = deadlines.set(after: bound) { _ in wait.end() }
            // Timeouts have ended.
            if deadline == nil { wait.end() }
        }
        if let deadline { deadlines.cancel(deadline) }
    }

    private func hasCome(_ end: End) -> Bool { state.withLock { $0.hasCome(end) } }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        changed.notify()
    }

    // MARK: Events from the outbox and the dispatcher

    /// Ends the acceptance. Call it once, when the message is stored or could not be stored.
    ///
    /// - Parameter excluded: the number of registrations that were left out; `nil` if more pages of the audience
    ///   are to be read.
    func commitEnded(_ result: Result<Void, StoreError>, excluded: Int? = 0) {
        change { state in
            state.acceptance = result
            if let excluded { state.complete(excluded) }
        }
    }

    /// Adds chunks. Call it when they are stored, before they are sent.
    func added(_ chunks: [Chunk]) {
        state.withLock { state in
            state.progress.attempted += chunks.reduce(0) { $0 + $1.entries.count }
            state.unsettledChunks += chunks.count
            state.untriedChunks += chunks.count
        }
    }

    /// Ends the list of chunks. Call it once, when there will be no more.
    func completed(excluded: Int) { change { $0.complete(excluded) } }

    func update(_ change: (inout DeliveryProgress) -> Void) {
        state.withLock { change(&$0.progress) }
    }

    /// Records the start of an attempt at a chunk.
    func chunkStarted(_ number: Int) {
        state.withLock { state in
            if !state.nextTries.isEmpty { state.nextTries[number] = nil }
        }
    }

    /// Records that a chunk is postponed, after an attempt or because its lane is paused.
    ///
    /// - Parameter time: the time at which it is due; `nil` until the lane's pause ends.
    func chunkPostponed(_ number: Int, until time: Timestamp?) {
        change { state in
            if state.postponedChunks.insert(number).inserted { state.untriedChunks -= 1 }
            state.nextTries[number] = time ?? .distantFuture
        }
    }

    /// Records that a chunk is settled. Call it once for each chunk.
    func chunkSettled(_ number: Int) {
        change { state in
            state.unsettledChunks -= 1
            state.nextTries[number] = nil
            if !state.postponedChunks.contains(number) { state.untriedChunks -= 1 }
        }
    }
}

extension Delivery.State {
    fileprivate func hasCome(_ end: Delivery.End) -> Bool {
        switch end {
        case .acceptance: acceptance != nil
        case .completeness: hasFailed || isComplete || isStopping
        case .firstAttempts: hasFailed || isSubmitted && untriedChunks <= 0
        case .everything(let time): hasFailed || isOver(by: time)
        }
    }

    /// `true` if all chunks are stored.
    private var isSubmitted: Bool { acceptance != nil && isComplete }

    private var hasFailed: Bool { if case .failure = acceptance { true } else { false } }

    private func isOver(by deadline: Timestamp) -> Bool {
        if isStopping, acceptance != nil, untriedChunks <= 0 { return true }
        return isSubmitted && unsettledChunks <= nextTries.count && nextTries.values.allSatisfy { $0 > deadline }
    }

    fileprivate mutating func complete(_ excluded: Int) {
        progress.excluded = excluded
        isComplete = true
    }
}
