import DocumentStore
package import Functions
import Messaging

/// The documents that the token that reads only does not show, because they are credentials: those of human tasks'
/// devices and of their tasks, by their ids, and webhooks, by their URLs. Documents of messages may contain such ids.
package struct ConsoleSecrets: Sendable {
    /// The sources of messages that may contain such an id: the systems' own, and what the operator sends again.
    private let sources: Set<String>

    /// The ids of the collections at the root of the gateway's own database.
    let collections: Set<String>

    /// Collects the collections of systems, and those of messages.
    ///
    /// - Parameter others: Further collections at the root.
    package init(_ modules: [any FunctionModule.Type], and others: [String] = []) {
        sources = Set(modules.filter { !$0.secretCollections.isEmpty }.map { $0.source } + [DirectSender.source])
        collections = Set(modules.flatMap { $0.secretCollections } + DeliveryHistory.collections + others)
    }

    /// Returns `true` for a document with such an id, and for a document below it.
    func contains(_ path: DocumentPath?) -> Bool {
        path?.isBelow(anyOf: collections) ?? false
    }

    /// Returns `true` if a message may contain such an id.
    func mayBe(in record: DeliveryRecord) -> Bool {
        sources.contains(record.source) || record.notifications.contains { contains($0.registration) }
    }
}
