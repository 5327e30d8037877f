import DocumentStore
import Logging
import Synchronization

/// The outside of a dispatcher, and the parts that its jobs have in common.
final class DispatchContext: Sendable {
    let store: any DocumentStore
    let transports: TransportTable
    let configuration: Dispatcher.Configuration
    /// The place of this gateway among those that share the documents; `nil` if it has them for itself.
    let membership: (any Membership)?
    /// The recorder of events for programs of the operator, if there is one.
    let events: (any DeliveryEventRecorder)?
    /// The address to which apps report what arrives, if there is one.
    let receipts: ReceiptAddress?
    let clock: any Clock<Duration>
    let now: @Sendable () -> Timestamp
    let logger: Logger

    let queue: QueueKey
    let lanes: Lanes
    let tasks = TaskPool()
    let deadlines: Deadlines
    let metrics = DispatchMetrics()
    private let alone = Mutex<CommitPeriod?>(nil)
    let recent = RecentOutcomes()

    init(
        store: any DocumentStore, transports: TransportTable, configuration: Dispatcher.Configuration,
        membership: (any Membership)?, events: (any DeliveryEventRecorder)?, receipts: ReceiptAddress?,
        clock: any Clock<Duration>, now: @escaping @Sendable () -> Timestamp, logger: Logger
    ) {
        self.store = store
        self.transports = transports
        self.configuration = configuration
        self.membership = membership
        self.events = events
        self.receipts = receipts
        self.clock = clock
        self.now = now
        self.logger = logger
        queue = QueueKey(owner: membership?.name)
        lanes = Lanes(
            capacity: configuration.capacity, window: { transports.transport(for: $0).window(of: $0) }, now: now)
        deadlines = Deadlines(clock: clock)
    }

    /// The period in which only this gateway has chunks in its queues; `nil` if others may have some.
    var periodAlone: CommitPeriod? { alone.withLock(\.self) }

    /// Notes the period in which no other gateway has chunks in its queues; `nil` if others may have some.
    func noteAlone(in period: CommitPeriod?) { alone.withLock { $0 = period } }

    /// Returns the lane with the app and the environment that the configuration gives it.
    func resolved(_ lane: Lane) -> Lane { transports.transport(for: lane).resolved(lane) }

    /// Returns `true` for a lane of servers that clients name.
    func isOfStrangers(_ lane: Lane) -> Bool { transports.transport(for: lane).isOfStrangers(lane) }

    /// Returns `true` if messages that wait in a lane follow the registrations of their targets.
    func followsRegistrations(_ lane: Lane) -> Bool { transports.transport(for: lane).followsRegistrations }

    func prepare(_ job: ChunkJob) -> any PreparedMessage {
        var message = job.outgoingMessage
        if let receipts, job.chunk.asksForReceipts { message.receiptAddress = receipts.text(for: job.message.id) }
        return transports.transport(for: job.chunk.lane).prepare(message)
    }
}

extension ChunkJob {
    fileprivate var outgoingMessage: OutgoingMessage {
        OutgoingMessage(
            message: message.message, lane: chunk.lane, expiration: message.expiresAt.microseconds / 1_000_000,
            acceptedAt: message.acceptedAt.seconds, id: message.id, identity: message.identity,
            condition: message.condition)
    }
}
