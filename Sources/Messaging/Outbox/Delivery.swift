public import DocumentStore
internal import ServiceLifecycle
import Synchronization

/// How far one multicast has come.
public struct DeliveryProgress: Hashable, Sendable {
    /// How many targets it was sent to.
    public internal(set) var attempted = 0
    /// The number of registrations that were left out: as excluded, without a token, or with one that another has.
    public internal(set) var excluded = 0
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

/// A multicast that is being accepted, or has been; this is how to watch it settle.
public final class Delivery: Sendable {
    public let messageID: String

    /// A wait that others end.
    fileprivate struct Waiter {
        let end: End
        let continuation: CheckedContinuation<Void, Never>
        /// The name of its deadline, if it has one.
        var deadline: Int?
    }

    /// The end of a wait.
    fileprivate enum End {
        case acceptance
        /// All targets are known.
        case completeness
        case firstAttempts
        /// Nothing is under way, or will be by a time.
        case everything(by: Timestamp)
    }

    fileprivate struct State {
        var progress = DeliveryProgress()
        var acceptance: Result<Void, StoreError>?
        /// A Boolean value indicating whether all targets are known.
        var isComplete = false
        var unsettledChunks = 0
        /// The number of chunks that have neither been attempted nor been put off with their lane.
        var untriedChunks = 0
        /// The chunks that were put off at least once, by number.
        var postponedChunks: Set<Int> = []
        /// When those of them are due that are not under way.
        var nextTries: [Int: Timestamp] = [:]
        /// A Boolean value indicating whether the gateway stops, so that nothing is tried again.
        var isStopping = false
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
    }

    private let state = Mutex(State())
    private let deadlines: Deadlines

    /// The longest wait for the rest of an audience to be gone through, after any other: it takes a second or two, unless the
    /// disk is full or many are gone through at once, and callers hang up after 15 s.
    private static let completenessBound = Duration.seconds(4)

    /// - Parameter deadlines: those of waits.
    init(messageID: String, deadlines: Deadlines) {
        self.messageID = messageID
        self.deadlines = deadlines
    }

    public var progress: DeliveryProgress { state.withLock(\.progress) }

    // MARK: Waiting

    /// Waits until the message is on the disk.
    ///
    /// - Throws: why it was not accepted.
    func accepted() async throws(StoreError) {
        await wait(for: .acceptance, atMost: nil)
        try state.withLock(\.acceptance)?.get()
    }

    /// Waits until every target has settled, or for the time given; in either case gives the progress.
    ///
    /// - Parameter deadline: the end of the wait by the calendar. The wait ends before it when nothing more can be tried until
    ///   then: what failed is due later, its lane is held up, or the gateway stops.
    /// - Throws: why the message was not accepted.
    public func progress(
        waiting bound: Duration, forRetriesUntil deadline: Timestamp = .distantFuture
    ) async throws(StoreError) -> DeliveryProgress {
        await waitUnlessStopping(for: .everything(by: deadline), atMost: bound)
        return try await acceptedProgress()
    }

    /// As ``progress(waiting:forRetriesUntil:)``, and no longer than until the first attempt at each target is over, or its
    /// lane is held up: from then on it is a matter of retries.
    public func firstAttempts(waiting bound: Duration) async throws(StoreError) -> DeliveryProgress {
        await wait(for: .firstAttempts, atMost: bound)
        return try await acceptedProgress()
    }

    /// The progress of a message that is on the disk, with the number of all its targets.
    private func acceptedProgress() async throws(StoreError) -> DeliveryProgress {
        try await accepted()
        if !state.withLock({ $0.hasCome(.completeness) }) {
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

    /// Waits until something has come, the bound has passed, or the task is cancelled. A wait for acceptance, which has no
    /// bound, is not cut short.
    private func wait(for end: End, atMost bound: Duration?) async {
        guard bound.map({ $0 > .zero }) ?? true, state.withLock({ !$0.hasCome(end) }) else { return }
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                enter(Waiter(end: end, continuation: continuation), as: number)
                // The waiter is there before anything that may end it.
                if let bound, !setDeadline(of: number, bound) || Task.isCancelled { endWait(number) }
            }
        } onCancel: {
            if bound != nil { endWait(number) }
        }
    }

    /// - Returns: `false` if deadlines have ended.
    private func setDeadline(of number: Int, _ bound: Duration) -> Bool {
        guard let deadline = deadlines.set(after: bound, { [weak self] _ in self?.endWait(number) }) else {
            return false
        }
        let isWaiting = state.withLock { state in
            state.waiters[number]?.deadline = deadline
            return state.waiters[number] != nil
        }
        if !isWaiting { deadlines.cancel(deadline) }
        return true
    }

    private func enter(_ waiter: Waiter, as number: Int) {
        let isOver = state.withLock { state in
            if state.hasCome(waiter.end) { return true }
            state.waiters[number] = waiter
            return false
        }
        if isOver { waiter.continuation.resume() }
    }

    private func endWait(_ number: Int) {
        if let waiter = state.withLock({ $0.waiters.removeValue(forKey: number) }) { resume(waiter) }
    }

    private func change(_ body: (inout State) -> Void) {
        let waiters = state.withLock { state in
            body(&state)
            return state.takeWaiters()
        }
        for waiter in waiters { resume(waiter) }
    }

    private func resume(_ waiter: Waiter) {
        if let deadline = waiter.deadline { deadlines.cancel(deadline) }
        waiter.continuation.resume()
    }

    // MARK: What outbox and dispatcher tell

    /// To be called once, when the message is on the disk, or cannot be.
    ///
    /// - Parameter excluded: how many registrations were left out; `nil` if more are to be looked at.
    func commitEnded(_ result: Result<Void, StoreError>, excluded: Int? = 0) {
        change { state in
            state.acceptance = result
            if let excluded { state.complete(excluded) }
        }
    }

    /// To be called when chunks are on the disk, before they are sent.
    func added(_ chunks: [Chunk]) {
        state.withLock { state in
            state.progress.attempted += chunks.reduce(0) { $0 + $1.entries.count }
            state.unsettledChunks += chunks.count
            state.untriedChunks += chunks.count
        }
    }

    /// To be called once, when there will be no more chunks.
    func completed(excluded: Int) { change { $0.complete(excluded) } }

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
        change { state in
            if state.postponedChunks.insert(number).inserted { state.untriedChunks -= 1 }
            state.nextTries[number] = time ?? .distantFuture
        }
    }

    /// To be called once for each chunk, when its last target has settled.
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

    /// A Boolean value indicating whether all its chunks are on the disk.
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

    /// The waits that are over.
    fileprivate mutating func takeWaiters() -> [Delivery.Waiter] {
        guard !waiters.isEmpty else { return [] }
        let over = waiters.keys.filter { number in waiters[number].map { hasCome($0.end) } ?? false }
        return over.compactMap { waiters.removeValue(forKey: $0) }
    }
}
