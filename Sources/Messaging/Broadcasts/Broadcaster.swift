package import DocumentStore
import JSON
package import Logging
import ServiceLifecycle
import Signals
import Synchronization

/// A service that sends messages to topics, conditions and whole collections, with one page of recipients in memory.
///
/// A message is accepted with the description of its recipients. The broadcaster then reads them page by page. Each
/// page becomes chunks in the same commit that records the progress, so the broadcast continues there after a crash.
/// Broadcasts take turns after each page, so a large one does not delay the others.
package final class Broadcaster: Service {
    let store: any DocumentStore
    let outbox: Outbox
    let reader: SubscriberReader
    let logger: Logger
    private let loop: WorkLoop
    /// The state of broadcasts by the id of the message. Those of an earlier process, or of a gateway that is gone, are
    /// added before the first turn.
    let courses = Mutex<[String: Course]>([:])
    /// `true` if there may be broadcasts of others that were not added.
    private let hasOthers = Mutex(true)

    /// The wait before a failed step is retried.
    private static let retryDelay = Duration.seconds(1)
    /// The number of broadcasts that are read at once.
    private static let batch = 20

    package init(
        store: any DocumentStore, outbox: Outbox, clock: any Clock<Duration> = .continuous, logger: Logger
    ) {
        self.store = store
        self.outbox = outbox
        self.logger = logger
        loop = WorkLoop(clock: clock)
        reader = SubscriberReader(store: store, unreadable: UnreadableDocuments(logger: logger))
    }

    /// Stores a message for all registrations that match a condition while it is being sent.
    ///
    /// - Returns: the message's id. If this throws, nothing was accepted.
    package func accept(_ draft: Draft, to condition: Condition) async throws(StoreError) -> String {
        let message = outbox.admit(draft, to: condition)
        let broadcast = Broadcast(messageID: message.id, to: .condition(condition), owner: outbox.owner)
        outbox.acceptanceOrder.begin(message)
        do throws(StoreError) {
            let acceptance = MessageAcceptance(messageID: message.id)
            _ = try await store.commit(try draft.writes(acceptance, and: try writes(message, broadcast)))
        } catch {
            outbox.acceptanceOrder.end(message.id)
            throw error
        }
        outbox.countAccepted(draft.source)
        loop.notify()
        return message.id
    }

    /// Stores a message for an audience, without waiting for the commit: the delivery's progress waits for it. A
    /// small audience is sent to like ``Outbox/submit(_:to:alongside:)`` does. A large one is sent to page by page,
    /// and the first page immediately.
    ///
    /// A device that registers later is not included. A token in several registrations is sent to once.
    ///
    /// - Parameters:
    ///   - firstPage: the result of ``Audience/firstPage(of:)``.
    ///   - writes: further writes of the same commit.
    package func submit(
        _ draft: Draft, to audience: Audience, _ firstPage: [Document], alongside writes: [Write] = []
    ) async throws(StoreError) -> Delivery {
        var selection = TargetSelection(audience, draft.registrationFields, of: firstPage.count)
        let targets = selection.targets(of: firstPage.prefix(Audience.pageSize))
        guard firstPage.count > Audience.pageSize else {
            return try await outbox.submit(
                draft, to: targets, below: audience.registrations, excluded: selection.excluded, alongside: writes)
        }
        let message = outbox.admit(draft)
        var broadcast = Broadcast(messageID: message.id, to: .audience(audience), owner: outbox.owner)
        var chunks = broadcast.append(
            targets, through: firstPage[Audience.pageSize - 1].path.id, at: message.acceptedAt)
        let delivery = outbox.delivery(of: message.id)
        var course = Course(message: message, selection: selection, delivery: delivery)
        let allWrites = try draft.writes(
            MessageAcceptance(messageID: message.id, excluded: selection.excluded),
            and: try self.writes(message, broadcast) + writes)
        let batch = try await outbox.batch(
            of: &chunks, of: message, alongside: allWrites, draft.mark, onDisk: &course.onDisk)
        courses.withLock { [course] in $0[message.id] = course }
        outbox.acceptanceOrder.begin(message)
        outbox.commit(batch, delivery: delivery) { [self] result in
            switch result {
            case .success:
                outbox.countAccepted(message.source)
                loop.notify()
            case .failure:
                courses.withLock { $0[message.id] = nil }
                outbox.acceptanceOrder.end(message.id)
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

    /// Sends broadcasts until graceful shutdown.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await self.loop.run { await self.round().pause }
        }
    }

    /// Looks for broadcasts that this gateway has taken over.
    func look() {
        hasOthers.withLock { $0 = true }
        loop.notify()
    }

    // MARK: Rounds

    private enum Round {
        /// There was no broadcast.
        case idle
        case advanced
        /// A broadcast made no progress.
        case failed

        var pause: WorkLoop.Pause {
            switch self {
            case .idle: .untilWork(atMost: .seconds(60))
            case .advanced: .untilWork(atMost: .zero)
            case .failed: .fixed(Broadcaster.retryDelay)
            }
        }
    }

    /// Processes one page of every broadcast, in the order of their ids. One that fails does not hold up the others.
    private func round() async -> Round {
        guard await addOthers() else { return .failed }
        var round = Round.idle
        let areRead = await forEachBroadcast { document in
            let hasAdvanced = await tryAdvance(document)
            round = hasAdvanced && round != .failed ? .advanced : .failed
        }
        return areRead ? round : .failed
    }

    /// Adds the broadcasts of others. From then on the newer messages to their devices are remembered, also while they
    /// wait for their turn.
    ///
    /// - Returns: `false` if they cannot be read now.
    private func addOthers() async -> Bool {
        let isDue = hasOthers.withLock { hasOthers in
            defer { hasOthers = false }
            return hasOthers
        }
        guard isDue else { return true }
        let areRead = await forEachBroadcast { await add($0) }
        if !areRead { hasOthers.withLock { $0 = true } }
        return areRead
    }

    /// Calls the closure for each broadcast of this gateway, in the order of their ids.
    ///
    /// - Returns: `false` if they cannot be read now.
    private func forEachBroadcast(_ body: (Document) async -> Void) async -> Bool {
        var last: DocumentPath?
        repeat {
            guard let documents = await broadcasts(after: last) else { return false }
            for document in documents where !Task.isCancelled && document[Broadcast.owner]?.string == outbox.owner {
                await body(document)
            }
            last = documents.count == Self.batch ? documents.last?.path : nil
        } while last != nil && !Task.isCancelled
        return true
    }

    /// Returns the next broadcasts; `nil` if they cannot be read now.
    private func broadcasts(after last: DocumentPath?) async -> [Document]? {
        do throws(StoreError) {
            return try await documents(after: last, limit: Self.batch)
        } catch {
            report(error, at: Broadcast.collection)
            return nil
        }
    }

    /// Returns the next broadcasts, of all gateways.
    func documents(after last: DocumentPath?, limit: Int) async throws(StoreError) -> [Document] {
        let collection = try CollectionPath(Broadcast.collection)
        var query = Query.collection(collection).ordered(by: .documentName).limited(to: limit)
        query.start = last.map { Cursor([.reference($0.name(in: store.database))], isAfter: true) }
        return try await store.documents(matching: query)
    }

    /// Processes a page of a broadcast.
    ///
    /// - Returns: `true` if it made progress, or was given up.
    private func tryAdvance(_ document: Document) async -> Bool {
        do throws(StoreError) {
            if let reason = try await advance(document) { try await giveUp(document, because: reason) }
            return true
        } catch {
            report(error, at: document.path.description)
            return false
        }
    }

    /// Processes a page of a broadcast.
    ///
    /// - Returns: the reason why every retry would fail in the same way; `nil` if the broadcast made progress.
    private func advance(_ document: Document) async throws(StoreError) -> String? {
        guard let broadcast = try? Broadcast(document: document) else { return Self.unreadable(document.path) }
        do throws(StoreError) {
            if try await advance(broadcast, acceptedAt: document.createTime) { return nil }
            return Self.unreadable(try OutboxDocuments.messagePath(broadcast.messageID))
        } catch {
            guard error.isFinal else { throw error }
            return "\(error)"
        }
    }

    private static func unreadable(_ path: DocumentPath) -> String { "\(path) is not as this gateway writes it" }

    private func report(_ error: StoreError, at path: String) {
        guard !Task.isCancelled else { return }
        // The store itself reports that the disk is full, for all messages at once.
        logger.log(
            level: error.code == .resourceExhausted ? .debug : .error, "failed to continue a broadcast; retrying",
            metadata: ["broadcast": "\(path)", "error": "\(error)"])
    }
}

extension StoreError {
    /// `true` if every retry would fail in the same way. The last two codes concern the message's own document.
    fileprivate var isFinal: Bool { [.invalidArgument, .dataLoss, .notFound].contains(code) }
}
