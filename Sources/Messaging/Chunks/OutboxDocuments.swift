import DocumentStore

/// The paths and fields of the outbox's documents, in one place.
///
/// - `messages/{id}`: `message` (FCM's JSON as text, kept verbatim), `source`, `owner`, `acceptedAt`, `expiresAt`,
///   `tokenField`, `environmentField`?, `registeredAtField`?, `senderId`?, `condition`?, `badge`? (see
///   ``BadgeCounter``), `targetCount`, `chunkCount`; and the fields of its first chunk. The document of a broadcast
///   (see ``Broadcast``) contains no chunk, and its two counts are 0 until all its chunks exist.
/// - `messages/{id}/messages/{n}`, a chunk: `transport`, `topic`?, `environment`?, `attempts`, `registrations`?
///   (the collection of the registrations). Until it is settled: `dueAt`, `queue` (see ``QueueKey``), `targets`, an
///   array of maps (see ``Chunk/Entry``), `followsRegistrations`? (`true` if they get the present addresses of their
///   registrations), `collapseKey`? (see ``CollapseKey``) and `superseded`?, the positions of targets that a newer
///   message replaces: the commit of that message adds them, or one right after it, or that of the chunk if it comes
///   later. Once settled: `settledAt`, `settled`, `outcomes`? (see ``SettledTargets``), `owner`, and
///   `bytes`, its size on disk (see ``KeptBytes``).
enum OutboxDocuments {
    static let messages = "messages"
    static let dueAt = "dueAt"
    static let queue = "queue"
    static let collapseKey = "collapseKey"
    static let superseded = "superseded"
    static let followsRegistrations = "followsRegistrations"
    static let settledAt = "settledAt"
    static let settled = "settled"
    static let outcomes = "outcomes"
    static let owner = "owner"
    static let bytes = "bytes"
    static let acceptedAt = "acceptedAt"
    static let source = "source"
    static let message = "message"

    static func messagePath(_ id: String) throws(StoreError) -> DocumentPath {
        try CollectionPath(messages).document(id)
    }

    /// Returns a query for the messages accepted before a time, the newest first, with only times and sources.
    static func accepted(before time: Timestamp, limit: Int) -> Query {
        var query = Query.collectionGroup(messages)
            .where(FieldPath(acceptedAt), .lessThan, .timestamp(time))
            .ordered(by: FieldPath(acceptedAt), .descending).ordered(by: .documentName, .descending)
            .limited(to: limit)
        query.projection = [FieldPath(acceptedAt), FieldPath(source)]
        return query
    }

    /// Returns a query for the messages accepted before a time, the newest first, with times, sources and contents.
    static func texts(before time: Timestamp, limit: Int) -> Query {
        var query = accepted(before: time, limit: limit)
        query.projection = [FieldPath(acceptedAt), FieldPath(source), FieldPath(message)]
        return query
    }

    /// Returns a query for the messages accepted after a time, the oldest first, with only times and sources.
    static func accepted(after time: Timestamp, limit: Int) -> Query {
        var query = Query.collectionGroup(messages)
            .where(FieldPath(acceptedAt), .greaterThan, .timestamp(time))
            .ordered(by: FieldPath(acceptedAt)).ordered(by: .documentName)
            .limited(to: limit)
        query.projection = [FieldPath(acceptedAt), FieldPath(source)]
        return query
    }

    /// Returns a query for the unsettled chunks with a collapse key.
    static func waiting(_ key: CollapseKey) -> Query {
        Query.collectionGroup(messages).where(FieldPath(collapseKey), .equal, .string(key.text))
    }

    /// Returns a query for the chunks that settled before a time, in that order, with only names, times, owners and
    /// sizes.
    static func settled(before time: Timestamp, limit: Int) -> Query {
        var query = Query.collectionGroup(messages)
            .where(FieldPath(settledAt), .lessThan, .timestamp(time))
            .ordered(by: FieldPath(settledAt)).ordered(by: .documentName)
            .limited(to: limit)
        query.projection = sizes
        return query
    }

    /// Returns a query for the chunks in documents of their own, with only names, times, owners and sizes.
    static func furtherChunks(of message: DocumentPath) throws(StoreError) -> Query {
        var query = Query.collection(try message.collection(messages))
        query.projection = sizes
        return query
    }

    private static var sizes: [FieldPath] { [FieldPath(settledAt), FieldPath(owner), FieldPath(bytes)] }

    /// Returns the path of a chunk in a document of its own.
    static func furtherChunkPath(_ id: ChunkID) throws(StoreError) -> DocumentPath {
        try messagePath(id.message).document(String(id.number), in: messages)
    }
}

/// An error for a document of the outbox that does not have the form that this gateway writes: another program
/// changed it.
struct UnreadableOutboxDocument: Error, CustomStringConvertible {
    let path: DocumentPath

    var description: String {
        "\(path) is not a message or chunk as this gateway writes them; restore it from a backup, or delete it"
    }
}

// MARK: Chunks

extension ChunkID {
    /// Reads the path of a chunk; `nil` for other paths.
    init?(_ path: DocumentPath) {
        if let message = path.collection.parent {
            guard message.collection.description == OutboxDocuments.messages,
                path.collection.id == OutboxDocuments.messages, let number = Int(path.id)
            else { return nil }
            self.init(message: message.id, number: number)
        } else {
            guard path.collection.description == OutboxDocuments.messages else { return nil }
            self.init(message: path.id, number: 0)
        }
    }
}

extension Document {
    /// `true` if the document contains a chunk. A message's document may.
    var isChunk: Bool { self["attempts"] != nil }
}

extension Chunk {
    /// Returns the path of the chunk's document.
    ///
    /// - Parameter message: the chunk's message.
    func path(of message: AcceptedMessage) throws(StoreError) -> DocumentPath {
        if isInMessage { return message.path }
        return try OutboxDocuments.furtherChunkPath(id)
    }

    /// Returns the document of a chunk with pending targets.
    ///
    /// - Parameter queue: the queues of the gateway that sends it.
    func pendingFields(of message: AcceptedMessage, in queue: QueueKey) -> Fields {
        var fields = commonFields(message)
        fields[OutboxDocuments.collapseKey] = collapseKey.map { .string($0.text) }
        let replaced = entries.indices.filter { entries[$0].isReplaced }.map { Value.integer(Int64($0)) }
        if !replaced.isEmpty { fields[OutboxDocuments.superseded] = .array(replaced) }
        if followsRegistrations { fields[OutboxDocuments.followsRegistrations] = .boolean(true) }
        addProgress(to: &fields, in: queue)
        return fields
    }

    /// Returns the fields of a chunk with pending targets that an attempt changes. The marks of replaced targets are
    /// not among them: other messages, also of other gateways, set them at any time.
    func progressFields(in queue: QueueKey) -> Fields {
        var fields: Fields = ["attempts": .integer(Int64(attempts))]
        addProgress(to: &fields, in: queue)
        return fields
    }

    private func addProgress(to fields: inout Fields, in queue: QueueKey) {
        fields["targets"] = .array(entries.map { $0.value(below: registrations) })
        fields[OutboxDocuments.dueAt] = .timestamp(dueAt)
        fields[OutboxDocuments.queue] = .string(queue.text(lane, dueAt: dueAt))
    }

    /// Returns the document of a chunk whose targets have all settled.
    func settledFields(at time: Timestamp, of message: AcceptedMessage) -> Fields {
        let settled = SettledTargets(entries, below: registrations, settledAt: time)
        var fields = commonFields(message)
        fields[OutboxDocuments.settledAt] = .timestamp(time)
        fields[OutboxDocuments.settled] = .string(settled.text)
        if !settled.outcomes.isEmpty { fields[OutboxDocuments.outcomes] = .array(settled.outcomes.map(Value.string)) }
        fields[OutboxDocuments.owner] = .string(message.owner)
        fields[OutboxDocuments.bytes] = .integer(Int64(KeptBytes.of(settled, in: self, message)))
        return fields
    }

    private func commonFields(_ message: AcceptedMessage) -> Fields {
        var fields = isInMessage ? message.fields : Fields(minimumCapacity: 12)
        fields["transport"] = .string(lane.transport.rawValue)
        fields["attempts"] = .integer(Int64(attempts))
        fields["registrations"] = registrations.map { .string($0.description) }
        fields["topic"] = lane.app.bundleID.map(Value.string)
        fields["environment"] = lane.app.environment.map(Value.string)
        return fields
    }

    init(document: Document) throws(UnreadableOutboxDocument) {
        guard let id = ChunkID(document.path), let transport = document["transport"]?.string,
            let attempts = document["attempts"]?.integer,
            let dueAt = (document[OutboxDocuments.dueAt] ?? document[OutboxDocuments.settledAt])?.timestamp
        else { throw UnreadableOutboxDocument(path: document.path) }
        let lane = Lane(
            transport: TransportName(rawValue: transport),
            app: AppIdentity(bundleID: document["topic"]?.string, environment: document["environment"]?.string))
        let registrations = document["registrations"]?.string.flatMap { try? CollectionPath($0) }
        guard let entries = Self.entries(of: document, on: lane, below: registrations, at: dueAt) else {
            throw UnreadableOutboxDocument(path: document.path)
        }
        self.init(
            id: id, isInMessage: document.path.collection.parent == nil, lane: lane, entries: entries,
            below: registrations, attempts: Int(attempts), dueAt: dueAt)
        collapseKey = document[OutboxDocuments.collapseKey]?.string.flatMap(CollapseKey.init(text:))
        followsRegistrations = document[OutboxDocuments.followsRegistrations]?.boolean ?? false
        replace(document[OutboxDocuments.superseded]?.array?.compactMap { $0.integer.map(Int.init) } ?? [])
    }

    /// Marks targets that a newer message replaces.
    mutating func replace(_ indices: some Sequence<Int>) {
        for index in indices where entries.indices.contains(index) && entries[index].state == .pending {
            entries[index].isReplaced = true
        }
    }

    /// Reads the targets. Settled chunks of older versions have the form of pending ones.
    private static func entries(
        of document: Document, on lane: Lane, below registrations: CollectionPath?, at time: Timestamp
    ) -> [Entry]? {
        if let text = document[OutboxDocuments.settled]?.string {
            let outcomes = document[OutboxDocuments.outcomes]?.array?.compactMap(\.string) ?? []
            return SettledTargets(text: text, outcomes: outcomes).entries(below: registrations, settledAt: time)
        }
        guard let targets = document["targets"]?.array else { return nil }
        let entries = targets.compactMap { Entry(value: $0, lane: lane, below: registrations) }
        return entries.count == targets.count ? entries : nil
    }
}
