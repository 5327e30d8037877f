package import DocumentStore

/// The names of cards, for the operator.
package struct CardName: Hashable, Sendable {
    /// The system, such as `codeagents`.
    package let source: String
    /// The title for people.
    package let title: String

    /// Returns the names of those cards that are still known, by their ids.
    package static func names(
        of cards: [String], in store: any DocumentStore
    ) async throws(StoreError) -> [String: CardName] {
        var paths: [DocumentPath] = []
        for card in cards {
            if let path = try CardDocument.path(ofCard: card) { paths.append(path) }
        }
        guard !paths.isEmpty else { return [:] }
        var names: [String: CardName] = [:]
        for document in try await store.documents(at: paths) {
            guard let document, let card = CardDocument(document) else { continue }
            names[card.id] = CardName(source: card.source, title: card.title)
        }
        return names
    }
}
