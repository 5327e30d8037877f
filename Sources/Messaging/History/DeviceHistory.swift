package import DocumentStore

/// The newest notifications of some devices, as far as a search has found them.
package struct DeviceHistory: Sendable {
    /// A notification, with the facts of its message.
    package struct Entry: Sendable {
        /// The id of the message.
        package let messageID: String
        /// The title of the message, or its text; `nil` for a message with data alone.
        package let title: String?
        /// The system that sent it.
        package let source: String
        /// The time of acceptance.
        package let acceptedAt: Timestamp
        /// The time at which it is given up.
        package let expiresAt: Timestamp
        /// The state of its delivery.
        package let notification: NotificationRecord
    }

    /// The notifications, the newest first.
    package fileprivate(set) var entries: [Entry] = []
    /// The number of messages that were looked at, to whomever they were.
    package fileprivate(set) var messages = 0
    /// The acceptance of the oldest message that was looked at; `nil` if there are none.
    package fileprivate(set) var oldest: Timestamp?
    /// `true` if all kept messages were looked at.
    package fileprivate(set) var isComplete = false
}

extension DeliveryHistory {
    /// The number of documents that a search for the notifications of devices reads, besides one for each message.
    private static let deviceReads = 500
    /// The number of notifications that such a search looks at.
    private static let deviceNotifications = 50_000
    /// The number of documents of one message that such a search reads, so that a message to very many leaves reads for
    /// others: the newest come first.
    private static let deviceReadsOfMessage = 100

    /// Returns the newest notifications of devices. Messages have no index by device, so the newest messages are looked
    /// at, as far as a bound allows.
    ///
    /// - Parameters:
    ///   - matches: Returns `true` for the registrations of the devices.
    ///   - limit: The greatest number of notifications.
    package func notifications(
        limit: Int, where matches: (DocumentPath) -> Bool
    ) async throws -> DeviceHistory {
        var search = DeviceSearchState(reads: Self.deviceReads, notifications: Self.deviceNotifications)
        var query = OutboxDocuments.accepted(before: .distantFuture, limit: Self.batch)
        while true {
            let documents = try await store.documents(matching: query)
            for document in documents {
                guard search.history.entries.count < limit, search.reads > 0, search.notifications > 0 else {
                    return search.history
                }
                guard document.path.collection.parent == nil else { continue }
                search.reads -= 1
                search.history.messages += 1
                search.history.oldest = document[OutboxDocuments.acceptedAt]?.timestamp ?? search.history.oldest
                do {
                    try await look(at: document.path, &search, where: matches)
                } catch  where error.isOfOneDocument {
                    unreadable.report(document.path, because: "\(error)")
                }
            }
            guard documents.count == Self.batch, let next = rest(of: query, after: documents.last) else {
                search.history.isComplete = true
                return search.history
            }
            query = next
            // The store may answer at once. Requests that take less time must not wait for all of a search.
            await Task.yield()
        }
    }

    private func look(
        at path: DocumentPath, _ search: inout DeviceSearchState, where matches: (DocumentPath) -> Bool
    ) async throws {
        let documents = try await store.documents(at: [path, Broadcast.path(of: path.id)])
        guard let document = documents[0] else { return }
        let message = try AcceptedMessage(document: document)
        let count = min(
            Int((documents[1] ?? document)["chunkCount"]?.integer ?? 0), Self.deviceReadsOfMessage)
        for first in stride(from: 0, to: count, by: Self.pageSize) where search.reads > 0 {
            let chunks = try await chunks(of: document, first..<min(first + Self.pageSize, count))
            // The first chunk is usually in the message's own document.
            search.reads -= chunks.count - (first == 0 ? 1 : 0)
            for notification in chunks.flatMap(\.notifications) {
                search.notifications -= 1
                guard let registration = notification.registration, matches(registration) else { continue }
                search.history.entries.append(DeviceHistory.Entry(message, notification))
            }
        }
    }
}

/// A search for the notifications of devices, and what it may still read.
private struct DeviceSearchState {
    var history = DeviceHistory()
    var reads: Int
    var notifications: Int

    init(reads: Int, notifications: Int) {
        self.reads = reads
        self.notifications = notifications
    }
}

extension DeviceHistory.Entry {
    /// Makes the entry of a notification in the record of its message.
    package init(_ record: DeliveryRecord, _ notification: NotificationRecord) {
        let shown = record.message.notification
        self.init(
            messageID: record.id, title: shown?.title ?? shown?.body, source: record.source,
            acceptedAt: record.acceptedAt, expiresAt: record.expiresAt, notification: notification)
    }

    fileprivate init(_ message: AcceptedMessage, _ notification: NotificationRecord) {
        let shown = message.message.notification
        self.init(
            messageID: message.id, title: shown?.title ?? shown?.body, source: message.source,
            acceptedAt: message.acceptedAt, expiresAt: message.expiresAt, notification: notification)
    }
}
