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
    }

    private let state: Mutex<State>
    private let settled = Bell()

    init(messageID: String, targets: Int, chunks: Int) {
        self.messageID = messageID
        state = Mutex(State(progress: DeliveryProgress(attempted: targets), unsettledChunks: chunks))
    }

    public var progress: DeliveryProgress { state.withLock(\.progress) }

    /// Waits until every target has settled and what follows from it has been stored, or for the time given; in either
    /// case gives the progress.
    public func progress(waiting bound: Duration, clock: any Clock<Duration>) async -> DeliveryProgress {
        await settled.wait(atMost: bound, clock: clock) { self.isSettled }
        return progress
    }

    /// As ``progress(waiting:clock:)``, and no longer than until the first attempt at some target has failed: from then on it
    /// is a matter of retries.
    public func firstAttempts(waiting bound: Duration, clock: any Clock<Duration>) async -> DeliveryProgress {
        await settled.wait(atMost: bound, clock: clock) {
            self.isSettled || self.progress.failures.contains { !$0.value.isEmpty }
        }
        return progress
    }

    private var isSettled: Bool { state.withLock { $0.unsettledChunks == 0 } }

    // MARK: What the dispatcher tells

    func update(_ change: (inout DeliveryProgress) -> Void) {
        state.withLock { change(&$0.progress) }
        settled.ring()
    }

    func chunkSettled() {
        state.withLock { $0.unsettledChunks -= 1 }
        if isSettled { settled.ring() }
    }
}
