import GRDB

/// One database of a ``SQLiteEngine``.
public struct SQLiteDocumentStore: DocumentStore {
    public let database: DatabaseID
    let engine: SQLiteEngine

    public func commit(
        _ writes: [Write], completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void
    ) {
        engine.commit(writes, in: database, completion: completion)
    }

    public func documents(at paths: [DocumentPath]) async throws(StoreError) -> [Document?] {
        try await read { db, number in
            try documents(at: paths, number, db)
        } ?? paths.map { _ in nil }
    }

    public func documents(matching query: Query) async throws(StoreError) -> [Document] {
        let isLong = query.isLaterPage
        let query = try PlannedQuery(query, in: database)
        return try await read(isLong: isLong) { db, number in
            try compiler(query, number).documents(db)
        } ?? []
    }

    public func documents(
        at paths: [DocumentPath], matching query: Query
    ) async throws(StoreError) -> (named: [Document?], matching: [Document]) {
        let query = try PlannedQuery(query, in: database)
        return try await read { db, number in
            (try documents(at: paths, number, db), try compiler(query, number).documents(db))
        } ?? (paths.map { _ in nil }, [])
    }

    public func aggregate(_ aggregations: [Aggregation], over query: Query) async throws(StoreError) -> [Value] {
        for field in aggregations.compactMap(\.field) { try field.validate() }
        var projected = query
        projected.projection = aggregations.compactMap(\.field)
        let query = try PlannedQuery(projected, in: database)
        return try await read { db, number in
            try compiler(query, number).aggregate(aggregations, db)
        } ?? aggregations.map { $0.evaluate(over: [], in: database) }
    }

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

    /// Returns `nil` if the database has never held a document.
    private func read<Result: Sendable>(
        isLong: Bool = false, _ body: @escaping @Sendable (Database, Int64) throws -> Result
    ) async throws(StoreError) -> Result? {
        try await engine.read(isLong: isLong) { db in try number(db).map { try body(db, $0) } }
    }

    private func number(_ db: Database) throws -> Int64? {
        if let number = engine.numbers[database] { return number }
        let number = try SQLStatements.number(of: database, db)
        if let number { engine.numbers.keep(number, of: database) }
        return number
    }

    private func compiler(_ query: PlannedQuery, _ number: Int64) -> QueryCompiler {
        QueryCompiler(
            query, in: database, number: number, slots: engine.slots, unreadable: engine.unreadable)
    }
}

extension Query {
    /// A Boolean value indicating whether this goes on with a long list, of which it mostly reads as much as it may.
    fileprivate var isLaterPage: Bool { start != nil && (limit ?? .max) > 100 }
}
