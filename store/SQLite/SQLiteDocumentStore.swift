import GRDB

/// The documents of one database in the file of a ``SQLiteEngine``.
public struct SQLiteDocumentStore: DocumentStore {
    /// The database that contains the documents.
    public let database: DatabaseID
    let engine: SQLiteEngine

    /// Applies all writes at one commit time, or none of them, and then calls the completion on the engine's writer,
    /// or at once if the writes are not valid.
    public func commit(
        _ writes: [Write], completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void
    ) {
        engine.commit(writes, in: database, completion: completion)
    }

    /// Returns the documents at the paths, with `nil` for each path without a document. A short read runs on the
    /// calling thread.
    public func documents(at paths: [DocumentPath]) async throws(StoreError) -> [Document?] {
        try await read { db, number in
            try documents(at: paths, number, db)
        } ?? paths.map { _ in nil }
    }

    /// Returns the documents that match, in the query's order. A short read runs on the calling thread.
    public func documents(matching query: Query) async throws(StoreError) -> [Document] {
        let isLong = query.isLaterPage
        let query = try PlannedQuery(query, in: database)
        return try await read(isLong: isLong) { db, number in
            try compiler(query, number).documents(db)
        } ?? []
    }

    /// Returns the documents at the paths and those that match the query, both as of one moment.
    public func documents(
        at paths: [DocumentPath], matching query: Query
    ) async throws(StoreError) -> (named: [Document?], matching: [Document]) {
        let query = try PlannedQuery(query, in: database)
        return try await read { db, number in
            (try documents(at: paths, number, db), try compiler(query, number).documents(db))
        } ?? (paths.map { _ in nil }, [])
    }

    /// Returns one value for each aggregation. SQLite counts; sums and averages read the fields of all matching
    /// documents.
    public func aggregate(_ aggregations: [Aggregation], over query: Query) async throws(StoreError) -> [Value] {
        let query = try PlannedQuery(query, for: aggregations, in: database)
        return try await read { db, number in
            try compiler(query, number).aggregate(aggregations, db)
        } ?? AggregationTally(aggregations).values
    }

    /// Returns the ids of the collections directly below a document, or at the root, in order. Costs one seek for
    /// each.
    public func collectionIDs(below document: DocumentPath?) async throws(StoreError) -> [String] {
        try await read { db, number in
            try CollectionScan(database: number, below: document).ids(db)
        } ?? []
    }

    private func documents(at paths: [DocumentPath], _ number: Int64, _ db: Database) throws -> [Document?] {
        let lookup = try DocumentLookup(db)
        return try paths.map { path in
            try lookup.document(RowKey(path), in: number)?.document(at: path)
        }
    }

    /// Runs the closure with the database's number. Returns `nil` if the database has never contained a document.
    func read<Result: Sendable>(
        isLong: Bool = false, _ body: @escaping @Sendable (Database, Int64) throws -> Result
    ) async throws(StoreError) -> Result? {
        try await engine.read(isLong: isLong) { db in try number(db).map { try body(db, $0) } }
    }

    func number(_ db: Database) throws -> Int64? {
        if let number = engine.numbers[database] { return number }
        let number = try SQLStatements.number(of: database, db)
        if let number { engine.numbers.keep(number, of: database) }
        return number
    }

    func compiler(_ query: PlannedQuery, _ number: Int64) -> QueryCompiler {
        QueryCompiler(
            query, in: database, number: number, slots: engine.slots, unreadable: engine.unreadable)
    }
}

extension Query {
    /// `true` if the query continues a long list, of which it mostly reads as many documents as its limit allows.
    fileprivate var isLaterPage: Bool { start != nil && (limit ?? .max) > 100 }
}
