import DocumentStore

/// A reader of the registrations that match a condition, page by page, in the order of installation ids.
///
/// The subscribers of each topic are stored in that order, so a page merges one part of each. The memory does not
/// grow with the number of subscribers.
struct SubscriberReader: Sendable {
    let store: any DocumentStore
    let unreadable: UnreadableDocuments
    /// The number of subscribers of each topic that are read at once.
    var size = 500

    /// Returns the next page.
    ///
    /// - Parameter last: the last installation id of the previous page; `nil` for the first page.
    func page(of condition: Condition, after last: String?) async throws(StoreError) -> RecipientPage {
        let pieces = try await pieces(of: condition, after: last)
        let end = pieces.compactMap(\.end).min()
        let ids = Self.ids(in: pieces, upTo: end)
        var page = RecipientPage(last: end)
        for (id, outcome) in zip(ids, try await registrations(ids)) {
            switch outcome {
            case .success(let document):
                try page.judge(id, document.flatMap(Registration.init), condition, pieces)
            case .failure(let error):
                // The subscriptions stay, because the registration may be restored.
                unreadable.report(try RegistrationDocuments.registration(id), because: "\(error)")
            }
        }
        return page
    }

    private func pieces(of condition: Condition, after last: String?) async throws(StoreError) -> [Piece] {
        var pieces: [Piece] = []
        for topic in condition.topics {
            let subscribers = try RegistrationDocuments.subscribers(of: topic)
            pieces.append(Piece(topic, try await read(subscribers, after: last), size))
        }
        if condition.evaluate({ _ in false }) {
            // Registrations without any subscription match too.
            let all = try CollectionPath(RegistrationDocuments.registrations)
            pieces.append(Piece(nil, try await read(all, after: last), size))
        }
        return pieces
    }

    /// Returns the ids up to the end of the part that ends first. Beyond it, the members of that part are unknown.
    private static func ids(in pieces: [Piece], upTo end: String?) -> [String] {
        Set(pieces.flatMap { $0.documents.keys }).filter { id in end.map { id <= $0 } ?? true }.sorted()
    }

    private func read(_ collection: CollectionPath, after last: String?) async throws(StoreError) -> [Document] {
        var query = Query.collection(collection).ordered(by: .documentName).limited(to: size)
        query.projection = [FieldPath(RegistrationDocuments.Field.token)]
        if let last {
            query.start = Cursor([.reference(try collection.document(last).name(in: store.database))], isAfter: true)
        }
        return try await store.documents(matching: query)
    }

    private func registrations(
        _ ids: [String]
    ) async throws(StoreError) -> [Result<Document?, StoreError>] {
        var paths: [DocumentPath] = []
        for id in ids { paths.append(try RegistrationDocuments.registration(id)) }
        return try await store.outcomes(at: paths)
    }
}

extension RecipientPage {
    /// Adds the registration if the condition holds for it, and collects its invalid subscriptions. It does no I/O.
    fileprivate mutating func judge(
        _ id: String, _ registration: Registration?, _ condition: Condition, _ pieces: [Piece]
    ) throws(StoreError) {
        var topics: Set<String> = []
        for piece in pieces {
            guard let topic = piece.topic, let subscription = piece.documents[id] else { continue }
            if subscription[RegistrationDocuments.Field.token]?.string == registration?.token.value {
                topics.insert(topic)
            } else {
                voidSubscriptions.append(subscription)
            }
        }
        guard let registration, condition.evaluate(topics.contains) else { return }
        targets.append(try registration.target)
    }
}

/// The next subscribers of one topic, or the next of all registrations.
private struct Piece {
    /// The topic; `nil` for all registrations.
    let topic: String?
    let documents: [String: Document]
    /// The id of the last document; `nil` if there are no more.
    let end: String?

    init(_ topic: String?, _ documents: [Document], _ size: Int) {
        self.topic = topic
        self.documents = Dictionary(documents.map { ($0.path.id, $0) }) { $1 }
        end = documents.count == size ? documents.last?.path.id : nil
    }
}
