package import DocumentStore
package import Logging

/// A lookup of the outcomes of messages, as long as they are kept.
///
/// A message to a topic may have a million targets. One page of its chunks is in memory at a time.
package struct DeliveryHistory: Sendable {
    /// The collections at the root with the contents of messages and the registrations that they are sent to.
    package static let collections = [OutboxDocuments.messages, Broadcast.collection, ScheduledMessage.collection]

    let store: any DocumentStore
    let unreadable: UnreadableDocuments

    /// The number of chunks in a page: at most 10,000 notifications.
    static let pageSize = 20
    /// The number of messages that are looked at together.
    static let batch = 50
    /// The number of documents that a page of messages may read to find them, besides two for each one that it may
    /// have. The last message may exceed it, by its own chunks.
    private static let searchReads = 250

    /// Reports to `logger` the messages and chunks that are left out because they cannot be read.
    package init(store: any DocumentStore, logger: Logger = Logger(label: "pushgate.deliveries")) {
        self.store = store
        unreadable = UnreadableDocuments(logger: logger)
    }

    /// Returns the messages accepted before a time, the newest first, with counts and without notifications.
    ///
    /// A page is bounded by what it reads, not by what it finds: it may have fewer messages than the limit, or none,
    /// and still have a next one. It has more than the limit if more messages were accepted at the very time of its
    /// last one.
    ///
    /// - Parameters:
    ///   - source: The system that sent the messages; `nil` for any. Messages of others are not read whole.
    ///   - matches: Returns `true` for the messages to include.
    package func page(
        before time: Timestamp = .distantFuture, limit: Int, source: String? = nil,
        where matches: (DeliveryRecord) -> Bool = { _ in true }
    ) async throws -> DeliveryPage {
        try await page(
            from: time, limit, source, matches,
            OutboxDocuments.accepted(before: time, limit: Self.batch))
    }

    /// Returns the messages accepted after a time, the oldest first, as ``page(before:limit:source:where:)`` does.
    package func page(
        after time: Timestamp, limit: Int, source: String? = nil,
        where matches: (DeliveryRecord) -> Bool = { _ in true }
    ) async throws -> DeliveryPage {
        try await page(
            from: time, limit, source, matches,
            OutboxDocuments.accepted(after: time, limit: Self.batch))
    }

    private func page(
        from time: Timestamp, _ limit: Int, _ source: String?, _ matches: (DeliveryRecord) -> Bool,
        _ query: Query
    ) async throws -> DeliveryPage {
        var (page, query) = (DeliveryPage(), query)
        var (time, reads) = (time, Self.searchReads + 2 * limit)
        while true {
            let documents = try await store.documents(matching: query)
            for document in documents {
                let acceptedAt = document[OutboxDocuments.acceptedAt]?.timestamp ?? time
                // The next page begins beyond a time, so this one has to have all messages of that time.
                let isOfLast = acceptedAt == time && reads > -Self.searchReads
                guard page.records.count < limit && reads > 0 || isOfLast else {
                    page.next = time
                    return page
                }
                time = acceptedAt
                reads -= 1
                // Another module may have a collection with that id below a document of its own.
                guard document.path.collection.parent == nil, (source.map { document.isOfSource($0) }) ?? true else {
                    continue
                }
                guard let record = try await readableRecord(of: document.path, &reads) else { continue }
                if matches(record) { page.records.append(record) }
            }
            guard documents.count == Self.batch, let next = rest(of: query, after: documents.last) else { return page }
            query = next
            // The store may answer at once. Requests that take less time must not wait for all of a search.
            await Task.yield()
        }
    }

    /// Returns the rest of a query in the order of acceptance, after a message that it has found; `nil` without one.
    func rest(of query: Query, after message: Document?) -> Query? {
        guard let message, let time = message[OutboxDocuments.acceptedAt] else { return nil }
        let isBackwards = query.orders.first?.direction == .descending
        var rest = query
        // The filter repeats the time, so that the search in the index begins there.
        rest.filter = .field(
            FieldPath(OutboxDocuments.acceptedAt), isBackwards ? .lessThanOrEqual : .greaterThanOrEqual, time)
        rest.start = Cursor([time, .reference(message.path.name(in: store.database))], isAfter: true)
        return rest
    }

    /// The time after which the commit of a message is visible, even with a slow disk or a clock of another gateway
    /// that differs. Ids are given out before commits, so a feed without it would miss messages.
    private static let feedLag = Duration.seconds(10)

    /// Returns the messages accepted after another, the oldest first, with counts and without notifications, as of
    /// some seconds ago.
    ///
    /// - Parameters:
    ///   - id: The id of the other message, which may be gone; empty for none.
    ///   - time: The present time.
    package func feed(after id: String, at time: Timestamp, limit: Int) async throws -> [DeliveryRecord] {
        let messages = try CollectionPath(OutboxDocuments.messages)
        var query = Query.collection(messages).ordered(by: .documentName).limited(to: Self.batch)
        query.projection = [FieldPath(OutboxDocuments.acceptedAt)]
        if !id.isEmpty {
            query.start = Cursor([.reference(try messages.document(id).name(in: store.database))], isAfter: true)
        }
        var (records, reads) = ([DeliveryRecord](), Self.searchReads + 2 * limit)
        while true {
            let documents = try await store.documents(matching: query)
            for document in documents {
                guard let acceptedAt = document[OutboxDocuments.acceptedAt]?.timestamp else { continue }
                // A time in the future is that of a clock that was set back.
                let isOld = acceptedAt <= time.adding(.zero - Self.feedLag) || acceptedAt > time.adding(Self.feedLag)
                guard isOld, records.count < limit, reads > 0 || records.isEmpty else { return records }
                reads -= 1
                if let record = try await readableRecord(of: document.path, &reads) { records.append(record) }
            }
            guard documents.count == Self.batch, let last = documents.last else { return records }
            query.start = Cursor([.reference(last.path.name(in: store.database))], isAfter: true)
            await Task.yield()
        }
    }

    /// Returns the record of a message; `nil` if it cannot be read, which is logged.
    ///
    /// - Parameter reads: The number of documents that may still be read, which is reduced.
    private func readableRecord(of path: DocumentPath, _ reads: inout Int) async throws -> DeliveryRecord? {
        do {
            let record = try await record(of: path, page: nil)
            reads -= record?.chunkCount ?? 1
            return record
        } catch  where error.isOfOneDocument {
            unreadable.report(path, because: "\(error)")
            return nil
        }
    }

    /// Returns the delivery of a message, with a page of its notifications counted from 0; `nil` if there is no such
    /// message, or no longer.
    package func delivery(of messageID: String, page: Int = 0) async throws -> DeliveryRecord? {
        try await record(of: OutboxDocuments.messagePath(messageID), page: page)
    }

    private func record(of path: DocumentPath, page: Int?) async throws -> DeliveryRecord? {
        // The documents are read at one moment: the message contains its number of chunks only after the broadcast
        // has ended.
        let documents = try await store.documents(
            at: [path, Broadcast.path(of: path.id), ReceiptDocuments.path(of: path.id)])
        guard let document = documents[0] else { return nil }
        let chunkCount = Int((documents[1] ?? document)["chunkCount"]?.integer ?? 0)
        var record = DeliveryRecord(try AcceptedMessage(document: document))
        record.isExpanding = documents[1] != nil
        record.chunkCount = chunkCount
        record.receipts = ReceiptCounts(documents[2])
        for (number, first) in stride(from: 0, to: chunkCount, by: Self.pageSize).enumerated() {
            let chunks = try await chunks(of: document, first..<min(first + Self.pageSize, chunkCount))
            for entry in chunks.lazy.flatMap(\.entries) { record.count(entry.knownState) }
            if first == 0 { record.first = chunks.first.flatMap { $0.entries.isEmpty ? nil : $0.notification(at: 0) } }
            if number == page { record.notifications = chunks.flatMap(\.notifications) }
            if first > 0 { await Task.yield() }
        }
        if let page, page < (chunkCount - 1) / Self.pageSize { record.nextPage = page + 1 }
        return record
    }

    func chunks(of message: Document, _ numbers: Range<Int>) async throws(StoreError) -> [Chunk] {
        let further = message.isChunk && numbers.lowerBound == 0 ? numbers.dropFirst() : numbers
        let paths = try further.map { number throws(StoreError) in
            try OutboxDocuments.furtherChunkPath(ChunkID(message: message.path.id, number: number))
        }
        var outcomes = Array(zip(paths, try await store.outcomes(at: paths)))
        if further.count < numbers.count { outcomes.insert((message.path, .success(message)), at: 0) }
        var chunks: [Chunk] = []
        for (path, outcome) in outcomes {
            do {
                if let document = try outcome.get() { chunks.append(try Chunk(document: document)) }
            } catch {
                unreadable.report(path, because: "\(error)")
            }
        }
        return chunks
    }
}

extension Document {
    /// Returns `true` for a message of a system.
    fileprivate func isOfSource(_ source: String) -> Bool { self[OutboxDocuments.source]?.string == source }
}

extension Error {
    /// `true` if one document cannot be read, while others may.
    var isOfOneDocument: Bool {
        self is UnreadableOutboxDocument || (self as? StoreError)?.code == .dataLoss
    }
}

extension DeliveryRecord {
    fileprivate init(_ message: AcceptedMessage) {
        self.init(
            id: message.id, source: message.source, message: message.message, acceptedAt: message.acceptedAt,
            expiresAt: message.expiresAt)
    }

    fileprivate mutating func count(_ state: Chunk.State) {
        targets += 1
        switch state {
        case .pending: pending += 1
        case .accepted: accepted += 1
        case .superseded: superseded += 1
        case .rejected(let code, _): rejected[MessagingErrorCode(rawValue: code), default: 0] += 1
        }
    }
}

extension Chunk {
    var notifications: [NotificationRecord] { entries.indices.map { notification(at: $0) } }

    fileprivate func notification(at index: Int) -> NotificationRecord {
        let entry = entries[index]
        return NotificationRecord(
            id: NotificationID(chunk: id, index: index), registration: entry.registration, lane: lane,
            state: entry.recordedState(dueAt: dueAt), settledAt: entry.settledAt,
            failures: entry.failures.map {
                NotificationRecord.Failure(at: $0.at, code: MessagingErrorCode(rawValue: $0.code), reason: $0.reason)
            })
    }
}

extension Chunk.Entry {
    /// The state, with a replaced target as superseded, which it will be with the next attempt at its chunk.
    fileprivate var knownState: Chunk.State { isReplaced && state == .pending ? .superseded : state }

    fileprivate func recordedState(dueAt: Timestamp) -> NotificationRecord.State {
        switch knownState {
        case .pending: .pending(dueAt: max(notBefore ?? dueAt, dueAt))
        case .accepted: .accepted
        case .superseded: .superseded
        case .rejected(let code, let reason): .rejected(MessagingErrorCode(rawValue: code), reason: reason)
        }
    }
}
