package import DocumentStore
import Synchronization

/// The reads of one database of an engine, in its present state or at one time.
package struct PostgreSQLReader: StateReader {
    package let database: DatabaseID
    /// The time of the state; `nil` for the present one.
    let time: Timestamp?
    let engine: PostgreSQLEngine

    package func documents(at paths: [DocumentPath]) async throws(StoreError) -> [Document?] {
        guard !paths.isEmpty else { return [] }
        guard time == nil else {
            return try await read { state in try state.documents(at: paths) } ?? paths.map { _ in nil }
        }
        let keys = paths.map(RowKey.init)
        if let call = shared.documents(at: keys) { return try await engine.pool.answer(to: call).named(paths) }
        let stored = try await engine.pool.rows(of: present.documents(at: keys)).storedByPath()
        return try paths.map { path throws(StoreError) in try stored[path]?.document(at: path) }
    }

    package func documents(matching query: Query) async throws(StoreError) -> [Document] {
        let planned = try PlannedQuery(query, in: database)
        if let found = try await atOnce([], planned) { return found.matching }
        return try await read { try $0.documents(matching: planned) } ?? []
    }

    package func documents(
        at paths: [DocumentPath], matching query: Query
    ) async throws(StoreError) -> (named: [Document?], matching: [Document]) {
        let planned = try PlannedQuery(query, in: database)
        if let found = try await atOnce(paths, planned) { return found }
        let found = try await read { state in
            (try state.documents(at: paths), try state.documents(matching: planned))
        }
        return found ?? (paths.map { _ in nil }, [])
    }

    /// The source of the present state.
    private var present: StateSource { StateSource(database: database, time: nil) }

    private var shared: SharedReads { SharedReads(database: database) }

    /// Returns documents of the present state that one statement finds; `nil` if the query may need more.
    private func atOnce(
        _ paths: [DocumentPath], _ query: PlannedQuery
    ) async throws(StoreError) -> (named: [Document?], matching: [Document])? {
        guard time == nil, query.filter == nil, query.orders.count == 1 else {
            guard paths.isEmpty, let found = try await withKey(query) else { return nil }
            return ([], found.matching)
        }
        let size = QueryReading.firstPage(of: query)
        let (named, found, count) = try await firstPage(paths, query, size)
        let matching = query.evaluate(over: found, in: database)
        if let size, let limit = query.limit, count == size, matching.count < limit { return nil }
        return (named, matching)
    }

    /// Returns the documents at paths, and the first ones of a query without a filter, with the number of these.
    private func firstPage(
        _ paths: [DocumentPath], _ query: PlannedQuery, _ size: Int?
    ) async throws(StoreError) -> (named: [Document?], found: [Document], count: Int) {
        let keys = paths.map(RowKey.init)
        if let size, let call = shared.documents(at: keys, in: query, limit: size) {
            let answer = try await engine.pool.answer(to: call)
            let (found, count) = answer.others(reporting: engine.unreadable)
            return (try answer.named(paths), found, count)
        }
        let call =
            paths.isEmpty
            ? present.documents(in: query, limit: size) : present.documents(at: keys, in: query, limit: size)
        let rows = try await engine.pool.rows(of: call)
        var (stored, found): ([DocumentPath: StoredDocument], [Document]) = ([:], [])
        var count = 0
        for row in 0..<rows.count {
            guard paths.isEmpty || rows.isTrue(row, 5) else {
                stored[rows.path(row)] = rows.stored(row)
                continue
            }
            count += 1
            if let document = rows.document(row, reporting: engine.unreadable) { found.append(document) }
        }
        return (try paths.map { path throws(StoreError) in try stored[path]?.document(at: path) }, found, count)
    }

    /// Returns the documents of the present state that match, and the time of its last commit; `nil` unless they are
    /// few and have one value of an indexed field.
    private func withKey(
        _ query: PlannedQuery
    ) async throws(StoreError) -> (matching: [Document], lastCommit: Timestamp)? {
        guard time == nil,
            let call = shared.documents(matching: query, declared: engine.configuration.fieldIndexes)
        else { return nil }
        let answer = try await engine.pool.answer(to: call)
        let (found, count) = answer.others(reporting: engine.unreadable)
        guard count <= SharedReads.mostWithKey else { return nil }
        return (query.evaluate(over: found, in: database), answer.lastCommit ?? engine.readTime(of: database))
    }

    /// Returns the documents that match in pieces of one state. A result of few documents with one value of an indexed
    /// field needs one statement. One of one piece, and one that has to be sorted, is read at once. A long one has a
    /// connection with a transaction while its consumer is quick or no other result waits, for the time of
    /// ``PostgreSQLStoreConfiguration/resultLifetime`` at most.
    package func results(of query: Query) async throws(StoreError) -> QueryResults {
        let query = try PlannedQuery(query, in: database)
        if let found = try await withKey(query) {
            return Pieces(found.matching, isClosed: { engine.isClosed }).results(at: found.lastCommit)
        }
        let short = try await read { state in
            var rows = try ServerResultRows(state.reading(query))
            return (state.row.lastCommit, try rows.whole(state.connection))
        }
        let (last, documents) = short ?? (engine.readTime(of: database), [])
        if let documents { return Pieces(documents, isClosed: { engine.isClosed }).results(at: time ?? last) }
        let reading = try await engine.results.reading { [self] connection, query, time in
            let time = time ?? self.time
            guard let row = DatabaseRow(try connection.run(ServerSQL.selectDatabase, database.parameters)) else {
                return (time ?? engine.readTime(of: database), nil)
            }
            let state = try state(row, at: time, connection)
            return (time ?? row.lastCommit, try ServerResultRows(state.reading(query)))
        }
        let readTime = try await reading.begin(query)
        return QueryResults(readTime: readTime) { () async throws(StoreError) in try await reading.next() }
    }

    package func aggregate(_ aggregations: [Aggregation], over query: Query) async throws(StoreError) -> [Value] {
        let planned = try PlannedQuery(query, for: aggregations, in: database)
        var tally = AggregationTally(aggregations)
        for document in try await read({ try $0.documents(matching: planned) }) ?? [] { tally.add(document) }
        return tally.values
    }

    package func listing(
        of collection: CollectionPath, after id: String?, limit: Int, projection: [FieldPath]?
    ) async throws(StoreError) -> [ListedDocument] {
        let planned = try PlannedQuery(
            listing: collection, after: id, limit: limit, projection: projection, in: database)
        let found = try await read { state in
            let path = StoredName.encode(collection.description)
            let ids = try state.ids(below: path, after: id.map { StoredName.encode($0) }, limit: limit)
            return (ids, try state.documents(matching: planned))
        }
        var entries: [DocumentPath: Document?] = [:]
        for id in found?.0 ?? [] {
            entries[DocumentPath(unchecked: PathText.joined(collection.description, id))] = .some(nil)
        }
        for document in found?.1 ?? [] { entries[document.path] = document }
        return entries.sorted { $0.key < $1.key }.prefix(limit)
            .map { ListedDocument(path: $0.key, document: $0.value) }
    }

    package func collectionIDs(below document: DocumentPath?) async throws(StoreError) -> [String] {
        let path = document.map { StoredName.encode($0.description) } ?? ""
        return try await read { try $0.ids(below: path) } ?? []
    }

    package func check() async throws(StoreError) { _ = try await read { _ in } }
}

/// The state of a database on one connection, within a transaction.
private struct ConnectedState {
    let row: DatabaseRow
    let source: StateSource
    let configuration: PostgreSQLStoreConfiguration
    let connection: Connection
    let unreadable: UnreadableDocuments

    func documents(at paths: [DocumentPath]) throws -> [Document?] {
        let stored = try connection.run([source.documents(at: paths.map(RowKey.init))])[0].storedByPath()
        return try paths.map { try stored[$0]?.document(at: $0) }
    }

    func documents(matching query: PlannedQuery) throws -> [Document] { try reading(query).documents() }

    func reading(_ query: PlannedQuery) -> QueryReading {
        // Entries are those of the present state.
        let entries =
            source.time == nil
            ? QueryEntries(of: query, isIndexed: row.isIndexed, declared: configuration.fieldIndexes) : nil
        return QueryReading(
            query: query, source: source, entries: entries, connection: connection, unreadable: unreadable)
    }

    func ids(below path: String, after last: String? = nil, limit: Int? = nil) throws -> [String] {
        let rows = try connection.run([source.ids(below: path, after: last, limit: limit)])[0]
        return (0..<rows.count).map { StoredName.decode(rows.text($0, 0) ?? "") }
    }
}

extension PostgreSQLReader {
    /// Runs a closure on the state. Returns `nil` if the database does not exist.
    private func read<Answer: Sendable>(
        _ body: @escaping @Sendable (ConnectedState) throws -> Answer
    ) async throws(StoreError) -> Answer? {
        try await engine.pool.run { [self] connection in
            let select = Call(ServerSQL.selectDatabase, database.parameters)
            return try connection.inSnapshot(first: select) { connection, rows in
                try DatabaseRow(rows).map { row in try body(try state(row, at: time, connection)) }
            }
        }
    }

    /// Returns the state at a time, or the present one.
    private func state(_ row: DatabaseRow, at time: Timestamp?, _ connection: Connection) throws -> ConnectedState {
        // The present state may be of any age.
        let past = time.flatMap { $0 < row.lastChange ? $0 : nil }
        if let past {
            guard let since = row.since, since <= past, past >= engine.oldestKept else { throw StoreError.tooOld }
        }
        return ConnectedState(
            row: row, source: StateSource(database: database, time: past), configuration: engine.configuration,
            connection: connection, unreadable: engine.unreadable)
    }
}

/// Documents that are taken piece by piece.
private final class Pieces: Sendable {
    private static let size = 256

    /// The documents that have not been taken, or the failure that ended the reading.
    private let rest: Mutex<Result<ArraySlice<Document>, StoreError>>
    private let isClosed: @Sendable () -> Bool

    init(_ documents: [Document], isClosed: @escaping @Sendable () -> Bool) {
        rest = Mutex(.success(documents[...]))
        self.isClosed = isClosed
    }

    func results(at time: Timestamp) -> QueryResults {
        QueryResults(readTime: time) { () async throws(StoreError) in try self.next() }
    }

    private func next() throws(StoreError) -> [Document]? {
        let piece = rest.withLock { rest -> Result<ArraySlice<Document>, StoreError> in
            if isClosed() { rest = .failure(.closed) }
            if Task.isCancelled { rest = .failure(.cancelled) }
            defer { rest = rest.map { $0.dropFirst(Self.size) } }
            return rest.map { $0.prefix(Self.size) }
        }
        let documents = try piece.get()
        return documents.isEmpty ? nil : Array(documents)
    }
}
