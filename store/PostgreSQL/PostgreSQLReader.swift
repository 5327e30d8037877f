import DocumentStore
import Synchronization

/// The reads of one database of an engine, in its present state or at one time.
struct PostgreSQLReader: DocumentReader {
    let database: DatabaseID
    /// The time of the state; `nil` for the present one.
    let time: Timestamp?
    let engine: PostgreSQLEngine

    func documents(at paths: [DocumentPath]) async throws(StoreError) -> [Document?] {
        guard !paths.isEmpty else { return [] }
        let keys = paths.map(RowKey.init)
        let found = try await read { [$0.documents(at: keys)] }
        let stored = found.map { $0.rows[0].storedByPath() } ?? [:]
        var documents: [Document?] = []
        documents.reserveCapacity(paths.count)
        for path in paths { documents.append(try stored[path]?.document(at: path)) }
        return documents
    }

    func documents(matching query: Query) async throws(StoreError) -> [Document] {
        try await matching(query).documents
    }

    func documents(
        at paths: [DocumentPath], matching query: Query
    ) async throws(StoreError) -> (named: [Document?], matching: [Document]) {
        let planned = try PlannedQuery(query, in: database)
        let keys = paths.map(RowKey.init)
        let found = try await read {
            [$0.documents(at: keys), $0.documents(in: planned, appliesLimit: planned.isByName)]
        }
        guard let rows = found?.rows else { return (paths.map { _ in nil }, []) }
        let stored = rows[0].storedByPath()
        var named: [Document?] = []
        for path in paths { named.append(try stored[path]?.document(at: path)) }
        return (named, result(of: planned, in: rows[1]))
    }

    func results(of query: Query) async throws(StoreError) -> QueryResults {
        let (documents, readTime) = try await matching(query)
        let pieces = Pieces(documents, isClosed: { engine.isClosed })
        return QueryResults(readTime: readTime) { () async throws(StoreError) in try pieces.next() }
    }

    func aggregate(_ aggregations: [Aggregation], over query: Query) async throws(StoreError) -> [Value] {
        let planned = try PlannedQuery(query, for: aggregations, in: database)
        let found = try await read { [$0.documents(in: planned, appliesLimit: planned.isByName)] }
        var tally = AggregationTally(aggregations)
        guard let rows = found?.rows[0] else { return tally.values }
        for document in result(of: planned, in: rows) { tally.add(document) }
        return tally.values
    }

    func listing(
        of collection: CollectionPath, after id: String?, limit: Int, projection: [FieldPath]?
    ) async throws(StoreError) -> [ListedDocument] {
        var query = Query.collection(collection).ordered(by: .documentName).limited(to: limit)
        query.projection = projection
        if let id {
            query.start = Cursor([.reference(try collection.document(id).name(in: database))], isAfter: true)
        }
        let planned = try PlannedQuery(query, in: database)
        let found = try await read {
            [
                $0.documents(in: planned, appliesLimit: true),
                $0.ids(
                    below: StoredName.encode(collection.description), after: id.map { StoredName.encode($0) },
                    limit: limit
                ),
            ]
        }
        guard let rows = found?.rows else { return [] }
        var entries: [DocumentPath: Document?] = [:]
        for row in 0..<rows[1].count {
            let id = StoredName.decode(rows[1].text(row, 0) ?? "")
            entries[DocumentPath(unchecked: PathText.joined(collection.description, id))] = .some(nil)
        }
        for document in result(of: planned, in: rows[0]) { entries[document.path] = document }
        return entries.sorted { $0.key < $1.key }.prefix(limit)
            .map { ListedDocument(path: $0.key, document: $0.value) }
    }

    func collectionIDs(below document: DocumentPath?) async throws(StoreError) -> [String] {
        let path = document.map { StoredName.encode($0.description) } ?? ""
        guard let rows = try await read({ [$0.ids(below: path)] })?.rows[0] else { return [] }
        return (0..<rows.count).map { StoredName.decode(rows.text($0, 0) ?? "") }
    }

    /// Checks that the state is kept.
    ///
    /// - Throws: `FAILED_PRECONDITION` if it is not.
    func check() async throws(StoreError) { _ = try await read { _ in [] } }
}

extension PostgreSQLReader {
    private func matching(_ query: Query) async throws(StoreError) -> (documents: [Document], readTime: Timestamp) {
        let planned = try PlannedQuery(query, in: database)
        let found = try await read { [$0.documents(in: planned, appliesLimit: planned.isByName)] }
        guard let found else { return ([], time ?? engine.readTime(of: database)) }
        return (result(of: planned, in: found.rows[0]), time ?? found.row.lastCommit)
    }

    /// Returns the documents of a query among the rows of its statement.
    private func result(of query: PlannedQuery, in rows: Rows) -> [Document] {
        let documents = rows.documents(reporting: engine.unreadable)
        return query.isByName ? documents.map(query.projected) : query.evaluate(over: documents, in: database)
    }

    /// Runs statements about the state, all of which see the same one. Returns `nil` if the database does not exist.
    private func read(
        _ calls: @escaping @Sendable (StateSource) -> [Call]
    ) async throws(StoreError) -> (row: DatabaseRow, rows: [Rows])? {
        let (database, time) = (database, time)
        let oldest = engine.oldestKept
        let found = try await engine.pool.run { connection -> UncheckedRows? in
            try connection.inSnapshot { connection in
                let select = Call(ServerSQL.selectDatabase, database.parameters)
                guard let time else {
                    let rows = try connection.run([select] + calls(StateSource(database: database, time: nil)))
                    return DatabaseRow(rows[0]).map { UncheckedRows(row: $0, rows: Array(rows.dropFirst())) }
                }
                guard let row = DatabaseRow(try connection.run([select])[0]) else { return nil }
                let isPresent = row.lastChange <= time
                guard isPresent || row.since.map({ $0 <= time }) == true && time >= oldest else {
                    throw StoreError.tooOld
                }
                let rows = try connection.run(calls(StateSource(database: database, time: isPresent ? nil : time)))
                return UncheckedRows(row: row, rows: rows)
            }
        }
        return found.map { ($0.row, $0.rows) }
    }
}

/// Rows that pass from the thread of a connection to one reader.
private struct UncheckedRows: @unchecked Sendable {  // because nothing changes a result after its statement
    let row: DatabaseRow
    let rows: [Rows]
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

    func next() throws(StoreError) -> [Document]? {
        let piece = rest.withLock { rest -> Result<ArraySlice<Document>, StoreError> in
            if isClosed() { rest = .failure(.closed) }
            if Task.isCancelled { rest = .failure(StoreError(.cancelled, "the task was cancelled")) }
            defer { rest = rest.map { $0.dropFirst(Self.size) } }
            return rest.map { $0.prefix(Self.size) }
        }
        let documents = try piece.get()
        return documents.isEmpty ? nil : Array(documents)
    }
}

extension StoreError {
    static var tooOld: StoreError { StoreError(.failedPrecondition, "The requested 'read_time' is too old.") }
}
