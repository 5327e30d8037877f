package import DocumentStore
package import Logging
import ServiceLifecycle
import Signals
import Synchronization

/// A service that sends the events that wait, to each target in their order, and to all targets at the same time.
///
/// An event stays in its queue until its receiver has taken it. A crash in between sends it again, with the same id. If
/// several gateways share the documents, it is a duty of the leader.
package final class WebhookSender: Service {
    let targets: WebhookTargets
    let transport: any WebhookTransport
    let store: any DocumentStore
    let clock: any Clock<Duration>
    let now: @Sendable () -> Timestamp
    let jitter: @Sendable () -> Double
    let logger: Logger
    /// The longest time until a look for events that other gateways have recorded.
    let longestSleep: Duration
    /// The maximum number of events that wait for a target.
    private let maximumWaiting: Int
    private let hasChanged = Mutex(false)
    private let changed = Signal()
    private let workers = Mutex<[String: WebhookWorker]>([:])

    /// The time between two looks for targets that other gateways have changed.
    private static let refreshInterval = Duration.seconds(5)

    /// Creates a sender.
    ///
    /// - Parameters:
    ///   - isShared: `true` if other gateways record events and make webhooks.
    ///   - maximumWaiting: The maximum number of events that wait for a target; the oldest of more are given up.
    ///   - jitter: Evenly distributed in 0..<1.
    package init(
        _ targets: WebhookTargets, over transport: any WebhookTransport, store: any DocumentStore, isShared: Bool,
        maximumWaiting: Int = 100_000, clock: any Clock<Duration> = .continuous,
        now: @escaping @Sendable () -> Timestamp = { .now },
        jitter: @escaping @Sendable () -> Double = { .random(in: 0..<1) }, logger: Logger
    ) {
        self.targets = targets
        self.transport = transport
        self.store = store
        self.clock = clock
        self.now = now
        self.jitter = jitter
        self.logger = logger
        self.maximumWaiting = maximumWaiting
        longestSleep = isShared ? .seconds(1) : .seconds(30)
    }

    /// Announces events, or a change of the targets.
    package func notify() {
        hasChanged.withLock { $0 = true }
        changed.notify()
        for worker in workers.withLock({ Array($0.values) }) { worker.loop.notify() }
    }

    /// The number of failures in a row at a target; 0 while it takes its events, and on gateways that do not send.
    package func failures(of target: String) -> Int { workers.withLock { $0[target]?.failures ?? 0 } }

    /// Sends until graceful shutdown.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await self.discardOrphans()
            await withDiscardingTaskGroup { group in
                while !Task.isCancelled {
                    // Changes from here on may come too late for this turn.
                    self.hasChanged.withLock { $0 = false }
                    for worker in await self.renewWorkers() { group.addTask { await worker.run() } }
                    await self.changed.wait(atMost: Self.refreshInterval, clock: self.clock) {
                        self.hasChanged.withLock { $0 }
                    }
                }
                group.cancelAll()
            }
        }
    }

    /// Ends the workers of targets that are gone, and removes what waits for these.
    ///
    /// - Returns: The workers of new targets.
    private func renewWorkers() async -> [WebhookWorker] {
        let targets = targets.all
        let (new, gone) = workers.withLock { workers in
            let new = targets.filter { workers[$0.id] == nil }.map { WebhookWorker($0, of: self) }
            let ids = Set(targets.map(\.id))
            let gone = workers.values.filter { !ids.contains($0.target.id) }
            for worker in gone { workers[worker.target.id] = nil }
            for worker in new { workers[worker.target.id] = worker }
            return (new, gone)
        }
        for worker in gone {
            worker.end()
            await worker.discard()
        }
        return new
    }
}

/// The events of targets that are gone.
extension WebhookSender {
    /// Removes what waits for targets that were removed while no gateway sent: from the configuration, or shortly
    /// before a crash.
    private func discardOrphans() async {
        do throws(StoreError) {
            try await targets.refresh()
            let known = Set(targets.all.map(\.id))
            var query = Query.collectionGroup(WebhookDocuments.eventsID).ordered(by: .documentName).limited(to: 1)
            query.projection = []
            // The ids of targets and events have letters, digits and hyphens only, which are between these characters.
            query.start = Cursor([try reference("!", in: "!")], isAfter: false)
            query.end = Cursor([try reference("~", in: "~")], isAfter: true)
            while !Task.isCancelled, let event = try await store.documents(matching: query).first {
                guard let target = event.path.collection.parent?.id else { return }
                if !known.contains(target) { try await removeEvents(of: target) }
                query.start = Cursor([try reference("~", in: target)], isAfter: true)
            }
        } catch {
            logger.warning("failed to look for events of former webhooks", metadata: ["error": "\(error)"])
        }
    }

    private func reference(_ event: String, in target: String) throws(StoreError) -> Value {
        .reference(try WebhookDocuments.events(of: target).document(event).name(in: store.database))
    }

    /// Removes the events that wait for a target that is gone.
    fileprivate func removeEvents(of target: String) async throws(StoreError) {
        let count = try await removeOldest(.max, of: target)
        guard count > 0 else { return }
        WebhookMetrics.recordDropped(count, "webhook_removed")
        logger.notice(
            "removed the events of a webhook that is gone", metadata: ["webhook": "\(target)", "events": "\(count)"])
    }

    /// Removes the oldest events that wait for a target if there are too many: they must not fill the disk, which
    /// messages need.
    fileprivate func removeExcess(of target: WebhookTarget) async throws(StoreError) {
        let waiting = try await store.count(.collection(try WebhookDocuments.events(of: target.id)))
        guard waiting > maximumWaiting else { return }
        let count = try await removeOldest(waiting - maximumWaiting, of: target.id)
        WebhookMetrics.recordDropped(count, "too_many")
        logger.warning(
            "dropped the oldest events of a webhook; too many wait",
            metadata: ["webhook": "\(target)", "events": "\(count)"])
    }

    /// - Returns: The number of removed events.
    private func removeOldest(_ count: Int, of target: String) async throws(StoreError) -> Int {
        var removed = 0
        while removed < count, !Task.isCancelled {
            var query = try Self.oldest(of: target, atMost: min(count - removed, 500))
            query.projection = []
            let events = try await store.documents(matching: query)
            guard !events.isEmpty else { break }
            _ = try await store.commit(events.map { .delete($0.path) })
            removed += events.count
        }
        return removed
    }

    /// Returns the oldest events that wait for a target.
    fileprivate func waiting(for target: String, atMost count: Int) async throws(StoreError) -> [Document] {
        try await store.documents(matching: try Self.oldest(of: target, atMost: count))
    }

    private static func oldest(of target: String, atMost count: Int) throws(StoreError) -> Query {
        Query.collection(try WebhookDocuments.events(of: target)).ordered(by: .documentName).limited(to: count)
    }
}

/// The sending to one target.
final class WebhookWorker: Sendable {
    let target: WebhookTarget
    let loop: WorkLoop
    private let sender: WebhookSender
    private let state = Mutex(State())
    private let ended = Signal()

    private struct State {
        var backoff = WebhookBackoff()
        var failures = 0
        var isEnded = false
        /// The time at which the events were last counted.
        var countedAt: Timestamp?
    }

    /// The number of events that are read together.
    private static let batch = 20
    /// The age at which an event is given up.
    static let maximumAge = Duration.seconds(3 * 24 * 60 * 60)
    /// The time between two counts of the events that wait.
    private static let countInterval = Duration.seconds(60)
    /// The delay before a failed look at the queue is repeated.
    private static let retryDelay = Duration.seconds(5)

    init(_ target: WebhookTarget, of sender: WebhookSender) {
        self.target = target
        self.sender = sender
        loop = WorkLoop(clock: sender.clock)
    }

    /// The number of failures in a row.
    var failures: Int { state.withLock(\.failures) }

    private var isEnded: Bool { state.withLock(\.isEnded) }

    /// Ends the sending after the event in progress.
    func end() {
        state.withLock { $0.isEnded = true }
        ended.notify()
    }

    /// Sends until the target is gone, or the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.loop.run { await self.turn() } }
            group.addTask { await self.untilEnded() }
            await group.next()
            group.cancelAll()
        }
    }

    private func untilEnded() async {
        await ended.wait { self.isEnded }
    }

    /// Sends what waits, the oldest first, until one event is not taken.
    private func turn() async -> WorkLoop.Pause {
        do throws(StoreError) {
            while !Task.isCancelled, !isEnded {
                if isCountDue { try await sender.removeExcess(of: target) }
                let events = try await sender.waiting(for: target.id, atMost: Self.batch)
                guard !events.isEmpty else { return .untilWork(atMost: sender.longestSleep) }
                for event in events {
                    if let delay = try await process(event) { return .fixed(delay) }
                }
            }
            return .fixed(Self.retryDelay)
        } catch {
            if !Task.isCancelled {
                sender.logger.error(
                    "failed to read or remove events of a webhook; retrying",
                    metadata: ["webhook": "\(target)", "error": "\(error)"])
            }
            return .fixed(Self.retryDelay)
        }
    }

    /// `true` once in each interval.
    private var isCountDue: Bool {
        let time = sender.now()
        return state.withLock { state in
            // A time in the future comes from a clock that was later set back.
            if let last = state.countedAt, max(time - last, last - time) < Self.countInterval { return false }
            state.countedAt = time
            return true
        }
    }

    /// Sends an event, and removes it once it is taken.
    ///
    /// - Returns: The delay before it is sent again; `nil` if it is done with.
    private func process(_ event: Document) async throws(StoreError) -> Duration? {
        guard !Task.isCancelled, !isEnded else { return Self.retryDelay }
        let time = sender.now()
        guard let body = event[WebhookDocuments.Field.body]?.string,
            let createdAt = event[WebhookDocuments.Field.createdAt]?.timestamp, time - createdAt < Self.maximumAge
        else {
            WebhookMetrics.recordDropped(1, "expired")
            try await remove(event)
            return nil
        }
        let bytes = Array(body.utf8)
        let id = event.path.id
        let fields = WebhookSignature.fields(id: id, at: time.seconds, body: bytes, secret: target.secret)
        let answer = await sender.transport.send(SentEvent(id: id, headerFields: fields, body: bytes), to: target)
        switch answer {
        case .taken:
            taken()
            try await remove(event)
            return nil
        case .failed(let reason, let retryAfter):
            guard !Task.isCancelled else { return Self.retryDelay }
            return failed(reason, retryAfter)
        }
    }

    private func remove(_ event: Document) async throws(StoreError) {
        _ = try await sender.store.commit([.delete(event.path)])
    }

    private func taken() {
        WebhookMetrics.recordAttempt("taken")
        let failures = state.withLock { state in
            defer { state.failures = 0 }
            state.backoff.succeeded()
            return state.failures
        }
        guard failures > 0 else { return }
        sender.logger.notice(
            "resumed a webhook", metadata: ["webhook": "\(target)", "failures": "\(failures)"])
    }

    private func failed(_ reason: String, _ retryAfter: Duration?) -> Duration {
        WebhookMetrics.recordAttempt("failed")
        let (failures, delay) = state.withLock { state in
            state.failures += 1
            return (state.failures, state.backoff.delay(retryAfter: retryAfter, jitter: sender.jitter()))
        }
        sender.logger.log(
            level: failures == 1 ? .warning : .info, "failed to send an event to a webhook; retrying",
            metadata: ["webhook": "\(target)", "reason": "\(reason)", "failures": "\(failures)", "delay": "\(delay)"])
        return delay
    }

    /// Removes the events that wait for a target that is gone.
    func discard() async {
        do throws(StoreError) {
            try await sender.removeEvents(of: target.id)
        } catch {
            sender.logger.warning(
                "failed to remove the events of a webhook that is gone",
                metadata: ["webhook": "\(target)", "error": "\(error)"])
        }
    }
}
