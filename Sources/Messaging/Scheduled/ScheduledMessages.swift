package import DocumentStore
package import Logging
import Metrics
import ServiceLifecycle
import Signals

/// A service that keeps messages until they are due, and then accepts them.
///
/// A message has no place among the others before that: it neither replaces one nor is replaced, and its lifetime has
/// not begun. One commit accepts it and ends its schedule, so it is sent once, whichever gateway does that, and
/// whatever crashes. A cancellation is a commit on the same condition: either the message was accepted, or it never
/// will be.
///
/// Every gateway can schedule and cancel. The one that runs the service accepts; see ``Duty``.
package final class ScheduledMessages: Service {
    /// The longest time until a message is due.
    package static let longestDelay = Duration.seconds(365 * 86_400)
    /// The wait before a failed step is retried.
    private static let retryDelay = Duration.seconds(5)
    private static let batch = 100
    /// The number of waiting messages that are looked at for those to registrations, the first due first.
    package static let searched = 500

    /// The indexes that the messages need in their store.
    package static let fieldIndexes = [ScheduledMessage.deliverAt, ScheduledMessage.enteredAt].map { field in
        FieldIndex(collectionGroup: ScheduledMessage.collection, field: FieldPath(field), type: .timestamp)
    }

    /// The store for new messages, which refuses them on a full disk.
    private let admitting: any DocumentStore
    private let store: any DocumentStore
    private let outbox: Outbox
    private let broadcaster: Broadcaster
    private let isShared: Bool
    private let now: @Sendable () -> Timestamp
    private let logger: Logger
    private let unreadable: UnreadableDocuments
    private let loop: WorkLoop

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - admitting: the store for new messages.
    ///   - isShared: `true` if other gateways may schedule messages, of which this one hears nothing.
    package init(
        store: any DocumentStore, admitting: any DocumentStore, outbox: Outbox, broadcaster: Broadcaster,
        isShared: Bool, clock: any Clock<Duration> = .continuous, now: @escaping @Sendable () -> Timestamp,
        logger: Logger
    ) {
        self.store = store
        self.admitting = admitting
        self.outbox = outbox
        self.broadcaster = broadcaster
        self.isShared = isShared
        self.now = now
        self.logger = logger
        unreadable = UnreadableDocuments(logger: logger)
        loop = WorkLoop(clock: clock)
    }

    // MARK: Scheduling

    /// Stores a message that will be accepted at a time, or soon if that has passed. The draft's companion goes into
    /// the commit that stores it.
    ///
    /// - Returns: the id of the scheduled message.
    package func schedule(
        _ draft: Draft, to recipients: ScheduledMessage.Recipients, at time: Timestamp
    ) async throws(StoreError) -> String {
        let scheduledAt = now()
        let message = ScheduledMessage(
            id: DocumentPath.timeOrderedID(at: scheduledAt), deliverAt: time, scheduledAt: scheduledAt, draft: draft,
            recipients: recipients)
        let creation = Write.create(try ScheduledMessage.path(of: message.id), message.fields)
        _ = try await admitting.commit(try draft.writes(MessageAcceptance(messageID: message.id), and: [creation]))
        count(.scheduled)
        loop.notify()
        return message.id
    }

    /// The result of a cancellation.
    package enum Cancellation: Hashable, Sendable {
        /// The message will never be accepted.
        case cancelled
        /// It has been accepted, with this id; `nil` if it had no recipient any more.
        case tooLate(String?)
        /// There is no such message, or no longer.
        case unknown
    }

    /// Cancels a message that is not due yet.
    package func cancel(_ id: String) async throws(StoreError) -> Cancellation {
        let path = try ScheduledMessage.path(of: id)
        while true {
            guard let document = try await store.document(at: path) else { return .unknown }
            guard document[ScheduledMessage.deliverAt] != nil else {
                return .tooLate(ScheduledMessage.acceptedID(in: document))
            }
            do throws(StoreError) {
                _ = try await store.commit([.delete(path, precondition: .updateTime(document.updateTime))])
                count(.cancelled)
                return .cancelled
            } catch {
                // It was accepted or cancelled at this moment.
                guard error.code == .failedPrecondition else { throw error }
            }
        }
    }

    // MARK: Looking

    /// The state of a scheduled message.
    package enum State: Sendable {
        case waiting(ScheduledMessage)
        /// It has been accepted, with this id; `nil` if it had no recipient any more.
        case entered(String?)
    }

    /// Returns the state of a scheduled message; `nil` if there is none, or no longer.
    package func state(of id: String) async throws -> State? {
        guard let document = try await store.document(at: ScheduledMessage.path(of: id)) else { return nil }
        guard document[ScheduledMessage.deliverAt] != nil else {
            return .entered(ScheduledMessage.acceptedID(in: document))
        }
        return .waiting(try ScheduledMessage(document: document))
    }

    /// Returns the messages that wait, the first due first; of those that are due together, in the order of their ids.
    ///
    /// - Parameters:
    ///   - time: the time after which they are due.
    ///   - id: the id of a message, after which those come that are due at `time` too; `nil` for none of these.
    package func waiting(
        after time: Timestamp = .distantPast, _ id: String? = nil, limit: Int
    ) async throws -> [ScheduledMessage] {
        var query = try Self.query(.deliverAt, from: id == nil ? time : .distantPast).limited(to: limit)
        if let id {
            let place = try ScheduledMessage.path(of: id).name(in: store.database)
            query.start = Cursor([.timestamp(time), .reference(place)], isAfter: true)
        }
        return unreadable.models(of: try await store.documents(matching: query)) {
            try? ScheduledMessage(document: $0)
        }
    }

    /// Returns the messages that wait for registrations. The ``searched`` messages that are due first are looked at.
    /// Those to conditions are not counted.
    package func waiting(
        for registrations: Set<DocumentPath>
    ) async throws(StoreError) -> ScheduledByRegistration {
        var waiting = ScheduledByRegistration(of: registrations)
        var query = try Self.query(.deliverAt).limited(to: Self.batch)
        query.projection = [FieldPath(ScheduledMessage.deliverAt), FieldPath(ScheduledMessage.targets)]
        for _ in 0..<Self.searched / Self.batch {
            let page = try await store.documents(matching: query)
            for document in page { waiting.add(document) }
            guard page.count == Self.batch, let last = page.last, let due = last[ScheduledMessage.deliverAt] else {
                return waiting
            }
            query.start = Cursor([due, .reference(last.path.name(in: store.database))], isAfter: true)
            // The store may answer at once. Requests that take less time must not wait for all of a search.
            await Task.yield()
        }
        waiting.isComplete = false
        return waiting
    }

    // MARK: Accepting

    /// Accepts the messages that are due until graceful shutdown.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await self.loop.run { .untilWork(atMost: await self.turn()) }
        }
    }

    /// Accepts all messages that are due, the first due first. One that fails does not hold up the others, but a full
    /// disk ends the turn: it would refuse each of them.
    ///
    /// - Returns: the time until the next turn.
    private func turn() async -> Duration {
        // The clock may be set forward, and other gateways may schedule messages.
        var pause = isShared ? Duration.seconds(1) : .seconds(60)
        do throws(StoreError) {
            var query = try Self.query(.deliverAt).limited(to: Self.batch)
            while !Task.isCancelled {
                let page = try await store.documents(matching: query)
                for document in page {
                    guard let due = document[ScheduledMessage.deliverAt]?.timestamp else { continue }
                    let time = now()
                    guard due <= time else { return min(pause, isShared ? pause : .seconds(30), due - time) }
                    switch await tryAccept(document) {
                    case .done: break
                    case .failed: pause = min(pause, Self.retryDelay)
                    case .diskFull: return Self.retryDelay
                    }
                }
                guard page.count == Self.batch, let last = page.last, let due = last[ScheduledMessage.deliverAt] else {
                    break
                }
                query.start = Cursor([due, .reference(last.path.name(in: store.database))], isAfter: true)
            }
            return pause
        } catch {
            report(error, nil)
            return Self.retryDelay
        }
    }

    /// The end of an attempt to accept a message.
    private enum Attempt {
        case done
        /// It is to be tried again.
        case failed
        /// It is to be tried again, and others would fail as well.
        case diskFull
    }

    private func tryAccept(_ document: Document) async -> Attempt {
        do {
            try await accept(ScheduledMessage(document: document), document)
            return .done
        } catch let error as UnreadableOutboxDocument {
            unreadable.report(document.path, because: "\(error)")
            return .done
        } catch let error as StoreError where error.code == .failedPrecondition {
            // It was cancelled at this moment, or another gateway has accepted it.
            return .done
        } catch {
            report(error, document.path)
            return (error as? StoreError)?.code == .resourceExhausted ? .diskFull : .failed
        }
    }

    private func accept(_ message: ScheduledMessage, _ document: Document) async throws(StoreError) {
        let (time, state) = (now(), Precondition.updateTime(document.updateTime))
        var draft = message.draft
        draft.expiresAt = message.deliverAt.adding(draft.lifetime ?? outbox.defaultLifetime)
        draft.companion = { acceptance throws(StoreError) in
            let fields = ScheduledMessage.enteredFields(acceptance.messageID, at: time)
            return [.set(document.path, fields, precondition: state)]
        }
        switch message.recipients {
        case .condition(let condition): _ = try await broadcaster.accept(draft, to: condition)
        case .targets(let recipients):
            let targets = try await targets(recipients, draft.registrationFields)
            _ = try await outbox.accept(draft, to: targets)
            guard targets.isEmpty else { break }
            count(.dropped)
            logger.notice(
                "dropped a scheduled message; its registrations were removed before it was due",
                metadata: ["message": "\(message.id)"])
            return
        }
        count(.accepted)
    }

    /// Returns the present addresses of recipients, without registrations that are gone.
    private func targets(
        _ recipients: [ScheduledMessage.Recipient], _ fields: RegistrationFields
    ) async throws(StoreError) -> [Target] {
        let paths = recipients.compactMap { recipient -> DocumentPath? in
            if case .registration(let path) = recipient { path } else { nil }
        }
        let documents = try await store.documents(at: paths).compactMap(\.self)
        let registered = documents.compactMap { document in
            fields.address(in: document).map { Target(address: $0, registration: document.path) }
        }
        let addresses = recipients.compactMap { recipient -> Target? in
            if case .address(let address) = recipient { Target(address: address, registration: nil) } else { nil }
        }
        return registered + addresses
    }

    private func report(_ error: any Error, _ path: DocumentPath?) {
        guard !Task.isCancelled else { return }
        // The store itself reports that the disk is full, for all messages at once.
        logger.log(
            level: (error as? StoreError)?.code == .resourceExhausted ? .debug : .error,
            "failed to accept scheduled messages; retrying",
            metadata: ["message": "\(path?.id ?? "-")", "error": "\(error)"])
    }

    // MARK: Clean-up

    /// Forgets the messages that were accepted before a time, as far as the accepted message is gone too.
    package func sweep(enteredBefore time: Timestamp) async throws(StoreError) {
        var query = try Self.query(.enteredAt)
            .where(FieldPath(ScheduledMessage.enteredAt), .lessThan, .timestamp(time)).limited(to: Self.batch)
        while !Task.isCancelled {
            let page = try await store.documents(matching: query)
            var deletions: [Write] = []
            for document in page where try await isGone(ScheduledMessage.acceptedID(in: document)) {
                deletions.append(.delete(document.path))
            }
            _ = try await store.commit(deletions)
            guard page.count == Self.batch, let last = page.last, let entered = last[ScheduledMessage.enteredAt] else {
                return
            }
            query.start = Cursor([entered, .reference(last.path.name(in: store.database))], isAfter: true)
        }
    }

    private func isGone(_ messageID: String?) async throws(StoreError) -> Bool {
        guard let messageID else { return true }
        return try await store.document(at: try OutboxDocuments.messagePath(messageID)) == nil
    }

    // MARK: Queries and metrics

    private enum Time {
        case deliverAt, enteredAt
    }

    /// Returns a query for the documents with a time, in its order. The filter selects the index.
    private static func query(_ time: Time, from start: Timestamp = .distantPast) throws(StoreError) -> Query {
        let name = time == .deliverAt ? ScheduledMessage.deliverAt : ScheduledMessage.enteredAt
        return Query.collection(try CollectionPath(ScheduledMessage.collection))
            .where(FieldPath(name), .greaterThan, .timestamp(start))
            .ordered(by: FieldPath(name)).ordered(by: .documentName)
    }

    private enum Event: String {
        case scheduled, accepted, cancelled, dropped
    }

    private func count(_ event: Event) {
        Counter(label: "pushgate_scheduled_messages_total", dimensions: [("event", event.rawValue)]).increment()
    }
}
