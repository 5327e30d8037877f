public import DocumentStore
internal import JSON
public import Logging
public import ServiceLifecycle
import Synchronization

/// Sends messages to topics, to conditions and to whole collections: however many those are, one page of them is in memory.
///
/// A message is accepted with whom it is for. Then these are gone through, and each page of them becomes chunks in the commit
/// that notes how far it has come: after a crash it goes on from there. So that a large message delays nobody, messages take
/// turns, a page each.
public final class Broadcaster: Service {
    let store: any DocumentStore
    let outbox: Outbox
    let reader: SubscriberReader
    let logger: Logger
    private let clock: any Clock<Duration>
    private let hasNews = Mutex(true)
    private let news = Bell()
    /// By the id of the message. What an earlier process accepted comes in when its turn comes.
    let courses = Mutex<[String: Course]>([:])

    /// How long to wait before what failed is tried again.
    private static let retryDelay = Duration.seconds(1)
    /// How many messages are read at once.
    private static let batch = 20

    public init(
        store: any DocumentStore, outbox: Outbox, clock: any Clock<Duration> = .continuous, logger: Logger
    ) {
        self.store = store
        self.outbox = outbox
        self.clock = clock
        self.logger = logger
        reader = SubscriberReader(store: store, unreadable: UnreadableDocuments(logger: logger))
    }

    /// Stores a message for all who match the condition while it is being sent.
    ///
    /// - Returns: the message's id. When this throws, nothing was accepted.
    public func accept(_ draft: Draft, to condition: Condition) async throws(StoreError) -> String {
        let message = outbox.admit(draft, to: condition)
        let broadcast = Broadcast(messageID: message.id, to: .condition(condition))
        try await outbox.commit([], of: message, alongside: try writes(message, broadcast))
        outbox.countAccepted(draft.source)
        ring()
        return message.id
    }

    /// Stores a message for an audience, without waiting for the disk: the delivery's progress does. To few it is sent as
    /// ``Outbox/submit(_:to:alongside:)`` does; to many a page at a time, the first of them at once.
    ///
    /// Nobody is sent to who registers after this, nor twice whose token several registrations have.
    ///
    /// - Parameters:
    ///   - firstPage: what ``Audience/firstPage(of:)`` has found.
    ///   - writes: what else belongs to the same commit.
    public func submit(
        _ draft: Draft, to audience: Audience, _ firstPage: [Document], alongside writes: [Write] = []
    ) throws(StoreError) -> Delivery {
        var selection = TargetSelection(audience, draft.registrationFields)
        let targets = selection.targets(of: firstPage.prefix(Audience.pageSize))
        guard firstPage.count > Audience.pageSize else {
            return try outbox.submit(draft, to: targets, excluded: selection.excluded, alongside: writes)
        }
        let message = outbox.admit(draft)
        var broadcast = Broadcast(messageID: message.id, to: .audience(audience))
        let chunks = broadcast.append(
            targets, through: firstPage[Audience.pageSize - 1].path.id, at: message.acceptedAt)
        let delivery = outbox.delivery(of: message.id)
        courses.withLock { $0[message.id] = Course(message: message, selection: selection, delivery: delivery) }
        try outbox.commit(
            chunks, of: message, alongside: try self.writes(message, broadcast) + writes, delivery: delivery
        ) { [self] result in
            switch result {
            case .success:
                outbox.countAccepted(message.source)
                ring()
            case .failure: courses.withLock { $0[message.id] = nil }
            }
            delivery.commitEnded(result, excluded: nil)
        }
        return delivery
    }

    private func writes(_ message: AcceptedMessage, _ broadcast: Broadcast) throws(StoreError) -> [Write] {
        [
            .create(try OutboxDocuments.messagePath(message.id), message.fields),
            .create(try broadcast.path, broadcast.fields),
        ]
    }

    private func ring() {
        hasNews.withLock { $0 = true }
        news.ring()
    }

    public func run() async throws {
        await cancelWhenGracefulShutdown { await self.work() }
    }

    private func work() async {
        while !Task.isCancelled {
            hasNews.withLock { $0 = false }
            switch await round() {
            case .advanced: continue
            case .idle: await news.wait(atMost: .seconds(60), clock: clock) { self.hasNews.withLock { $0 } }
            case .failed: try? await clock.sleep(for: Self.retryDelay)
            }
        }
    }

    // MARK: Rounds

    private enum Round {
        /// There was no message.
        case idle
        case advanced
        /// Some message did not come further.
        case failed
    }

    /// Takes every message a page further, in the order of their ids. One that fails holds up no other.
    private func round() async -> Round {
        var round = Round.idle
        var last: DocumentPath?
        repeat {
            guard let documents = await broadcasts(after: last) else { return .failed }
            for document in documents where !Task.isCancelled {
                let hasAdvanced = await advance(document)
                round = hasAdvanced && round != .failed ? .advanced : .failed
            }
            last = documents.count == Self.batch ? documents.last?.path : nil
        } while last != nil && !Task.isCancelled
        return round
    }

    /// - Returns: nil when they cannot be read now.
    private func broadcasts(after last: DocumentPath?) async -> [Document]? {
        do {
            let collection = try CollectionPath(Broadcast.collection)
            var query = Query.collection(collection).ordered(by: .documentName).limited(to: Self.batch)
            query.start = last.map { Cursor([.reference($0.name(in: store.database))], isAfter: true) }
            return try await store.documents(matching: query)
        } catch {
            report(error, at: Broadcast.collection)
            return nil
        }
    }

    /// - Returns: whether it came further, or was given up.
    private func advance(_ document: Document) async -> Bool {
        do {
            do {
                try await advance(try Broadcast(document: document), acceptedAt: document.createTime)
            } catch let error where error.isFinal {
                try await giveUp(document, because: error)
            }
            return true
        } catch {
            report(error, at: document.path.description)
            return false
        }
    }

    private func report(_ error: any Error, at path: String) {
        guard !Task.isCancelled else { return }
        // The store itself reports that the disk is full, for all messages at once.
        let isDiskFull = (error as? StoreError)?.code == .resourceExhausted
        logger.log(
            level: isDiskFull ? .debug : .error, "could not go on with a message to many; trying again",
            metadata: ["broadcast": "\(path)", "error": "\(error)"])
    }
}

extension Error {
    /// Whether the same would happen again, however often it is tried.
    fileprivate var isFinal: Bool {
        guard let code = (self as? StoreError)?.code else { return self is UnreadableOutboxDocument }
        // The last two are of the message's own document.
        return [.invalidArgument, .dataLoss, .notFound].contains(code)
    }
}
