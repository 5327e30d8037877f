package import DocumentStore
import JSON

/// A message that a search has found.
package struct FoundMessage: Sendable {
    /// The message's id.
    package let id: String
    /// The system that sent it.
    package let source: String
    /// The time of acceptance.
    package let acceptedAt: Timestamp
    /// The title of the alert.
    package let title: String?
    /// The text of the alert.
    package let body: String?
}

/// The search in the texts of messages.
extension DeliveryHistory {
    /// The number of messages that are searched, the newest first.
    package static let searched = 10_000
    /// The number of messages that are read at once.
    private static let searchBatch = 500

    /// Returns the newest messages with a text in their title or body, in any case of the letters, the newest first.
    ///
    /// The newest ``searched`` messages are read for it. An index of texts would cost every message.
    package func search(_ text: String, limit: Int) async throws -> [FoundMessage] {
        let text = text.lowercased()
        var (found, left) = ([FoundMessage](), Self.searched)
        var query = OutboxDocuments.texts(before: .distantFuture, limit: Self.searchBatch)
        while left > 0, found.count < limit {
            let documents = try await store.documents(matching: query)
            for document in documents where document.path.collection.parent == nil && found.count < limit {
                if let message = FoundMessage(document), message.contains(text) { found.append(message) }
            }
            guard documents.count == Self.searchBatch, let next = rest(of: query, after: documents.last) else { break }
            query = next
            left -= documents.count
            // The store may answer at once. Requests that take less time must not wait for all of a search.
            await Task.yield()
        }
        return found
    }

    /// Returns messages whose id begins with a text, in the order of their ids.
    package func messages(beginningWith id: String, limit: Int) async throws -> [FoundMessage] {
        guard let first = try? OutboxDocuments.messagePath(id) else { return [] }
        var query = Query.collection(first.collection).ordered(by: .documentName).limited(to: limit)
        query.start = Cursor([.reference(first.name(in: store.database))], isAfter: false)
        return try await store.documents(matching: query).filter { $0.path.id.utf8.starts(with: id.utf8) }
            .compactMap { FoundMessage($0) }
    }
}

extension FoundMessage {
    /// Reads the document of a message; `nil` for any other document.
    fileprivate init?(_ document: Document) {
        guard let text = document[OutboxDocuments.message]?.string, let json = try? JSONValue(parsing: text),
            let source = document[OutboxDocuments.source]?.string,
            let acceptedAt = document[OutboxDocuments.acceptedAt]?.timestamp
        else { return nil }
        let alert = Message(json: json).notification
        self.init(
            id: document.path.id, source: source, acceptedAt: acceptedAt, title: alert?.title, body: alert?.body)
    }

    /// Returns `true` if the title or the body has a text.
    ///
    /// - Parameter text: The text, in lower case.
    fileprivate func contains(_ text: String) -> Bool {
        [title, body].contains { $0?.lowercased().contains(text) ?? false }
    }
}
