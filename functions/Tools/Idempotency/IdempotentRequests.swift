package import DocumentStore
package import Messaging
import Metrics
import ServiceLifecycle
import Synchronization

/// The answers to requests with an ``IdempotencyKey``: a repetition within a day gets the first answer and sends
/// nothing, also after a crash, and at another gateway with the same documents.
///
/// The commit that accepts a message also creates the record of its request, so a message without a record, or a record
/// without its message, cannot exist. The answer follows by a commit of its own, before the client gets it. If the
/// gateway ends in between, the first repetition gets an answer from what is known of the message.
///
/// Of several requests with one key at the same time, one is processed and the others wait: at this gateway in a queue,
/// at another one for the answer of the record. Requests for which nothing was accepted leave no record.
package struct IdempotentRequests: Sendable {
    /// The time for which a record without an answer may be that of a request that another gateway processes.
    private static let patience = Duration.seconds(20)
    private static let pollInterval = Duration.milliseconds(100)
    /// The number of records that are deleted at once.
    private static let batch = 500

    /// The indexes that the records need in their store.
    package static let fieldIndexes = [
        FieldIndex(
            collectionGroup: IdempotencyRecord.collection, field: FieldPath(IdempotencyRecord.acceptedAt),
            type: .timestamp)
    ]

    private let store: any DocumentStore
    private let isShared: Bool
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Timestamp
    private let queue = KeyedQueue()

    /// - Parameter isShared: `true` if other gateways may process requests with the same keys.
    package init(
        store: any DocumentStore, isShared: Bool, clock: any Clock<Duration> = .continuous,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.isShared = isShared
        self.clock = clock
        self.now = now
    }

    /// Answers a request, by its record if it has been accepted before.
    ///
    /// - Parameters:
    ///   - restore: Returns an answer for a message that was accepted, and whose first answer was not stored.
    ///   - work: Processes the request, with what is to be the draft's ``Draft/companion``. Errors are not stored: a
    ///     refusal after the acceptance has to be an answer.
    /// - Throws: ``IdempotencyError/reused`` if the key was used for another body; the errors of the closures.
    package func answer(
        to request: IdempotentRequest, restore: (MessageAcceptance) async throws -> FunctionResponse,
        work: (@escaping Draft.Companion) async throws -> FunctionResponse
    ) async throws -> FunctionResponse {
        try await queue.run(request.id) {
            let document = try await store.document(at: try request.path)
            if let record = record(document) { return try await answer(by: record, to: request, restore) }
            let companion = try companion(of: request, inPlaceOf: document)
            let isAccepted = Mutex(false)
            do {
                let answer = try await work { acceptance throws(StoreError) in
                    isAccepted.withLock { $0 = true }
                    return try companion(acceptance)
                }
                // Without an acceptance the record, if there is one, is that of another request.
                if isAccepted.withLock(\.self) { await keep(answer, for: request) }
                count(request, .first)
                return answer
            } catch let error as StoreError where error.isOfPrecondition {
                // Another gateway has accepted the same request meanwhile, and this one nothing.
                guard let record = record(try await store.document(at: try request.path)) else { throw error }
                return try await answer(by: record, to: request, restore)
            }
        }
    }

    // MARK: Records

    /// Returns the record in a document; `nil` if there is none, or it has expired.
    private func record(_ document: Document?) -> IdempotencyRecord? {
        guard let record = document.flatMap(IdempotencyRecord.init), !record.isExpired(at: now()) else { return nil }
        return record
    }

    /// Returns a function for the write of a record.
    ///
    /// - Parameter former: The record of an earlier request with the key, which has expired; `nil` if there is none.
    private func companion(
        of request: IdempotentRequest, inPlaceOf former: Document?
    ) throws(StoreError) -> Draft.Companion {
        let (path, time) = (try request.path, now())
        return { acceptance throws(StoreError) in
            let fields = IdempotencyRecord.fields(of: request, acceptance, at: time)
            guard let former else { return [.create(path, fields)] }
            return [.set(path, fields, precondition: .updateTime(former.updateTime))]
        }
    }

    private func keep(_ answer: FunctionResponse, for request: IdempotentRequest) async {
        // Without it, a repetition gets an answer from what is known of the message.
        guard let path = try? request.path else { return }
        _ = try? await store.commit([.update(path, IdempotencyRecord.fields(of: answer))])
    }

    // MARK: Repetitions

    private func answer(
        by record: IdempotencyRecord, to request: IdempotentRequest,
        _ restore: (MessageAcceptance) async throws -> FunctionResponse
    ) async throws -> FunctionResponse {
        guard record.fingerprint == request.fingerprint else {
            count(request, .refused)
            throw IdempotencyError.reused
        }
        count(request, .repeated)
        if let answer = try await storedAnswer(of: record, to: request) { return answer }
        let answer = try await restore(record.acceptance)
        await keep(answer, for: request)
        return answer
    }

    /// Returns the answer of a record, after a wait for the gateway that is processing the request; `nil` if that has
    /// ended before it stored one.
    private func storedAnswer(
        of record: IdempotencyRecord, to request: IdempotentRequest
    ) async throws -> FunctionResponse? {
        var record = record
        let end = record.acceptedAt.adding(Self.patience)
        var waited = Duration.zero
        while record.answer == nil, isShared, now() < end, waited < Self.patience {
            try await pause()
            waited += Self.pollInterval
            guard let next = self.record(try await store.document(at: try request.path)) else { return nil }
            record = next
        }
        return record.answer
    }

    /// Waits until the next look at a record.
    ///
    /// - Throws: `UNAVAILABLE` if this gateway stops, so that the client asks another one, or this one after its start.
    private func pause() async throws {
        do {
            try await cancelWhenGracefulShutdown { [clock] in try await clock.sleep(for: Self.pollInterval) }
        } catch is CancellationError where Task.isShuttingDownGracefully {
            throw StoreError(
                .unavailable, "the gateway is stopping; send the request again, with the same Idempotency-Key")
        }
    }

    // MARK: Metrics

    private enum Handling: String {
        case first, repeated, refused
    }

    private func count(_ request: IdempotentRequest, _ handling: Handling) {
        Counter(
            label: "pushgate_idempotent_requests_total",
            dimensions: [("call", request.call), ("result", handling.rawValue)]
        ).increment()
    }

    // MARK: Clean-up

    /// Deletes the records that have expired.
    package func sweep() async throws {
        let cutoff = Value.timestamp(now().adding(.zero - IdempotencyRecord.lifetime))
        var query = Query.collection(try CollectionPath(IdempotencyRecord.collection))
            .where(FieldPath(IdempotencyRecord.acceptedAt), .lessThan, cutoff).limited(to: Self.batch)
        query.projection = []
        while true {
            let old = try await store.documents(matching: query)
            let deletions = old.map { Write.delete($0.path, precondition: .updateTime($0.updateTime)) }
            do throws(StoreError) {
                _ = try await store.commit(deletions)
            } catch {
                // A key is used again at this moment.
                guard error.code == .failedPrecondition else { throw error }
                continue
            }
            if old.count < Self.batch { return }
        }
    }
}

extension StoreError {
    /// `true` if a document was not in the state that the commit demands.
    fileprivate var isOfPrecondition: Bool { code == .alreadyExists || code == .failedPrecondition }
}
