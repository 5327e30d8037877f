import GRDB

/// The reads of one database of an engine, in its present state or at one time.
package struct SQLiteReader: StateReader {
    package let database: DatabaseID
    /// The time of the state; `nil` for the present one.
    let time: Timestamp?
    let engine: SQLiteEngine

    package func documents(at paths: [DocumentPath]) async throws(StoreError) -> [Document?] {
        try await read { db, state in try state.documents(at: paths, db) } ?? paths.map { _ in nil }
    }

    package func documents(matching query: Query) async throws(StoreError) -> [Document] {
        let isLong = query.isLaterPage
        let query = try PlannedQuery(query, in: database)
        return try await read(isLong: isLong) { db, state in try state.compiler(query).documents(db) } ?? []
    }

    package func documents(
        at paths: [DocumentPath], matching query: Query
    ) async throws(StoreError) -> (named: [Document?], matching: [Document]) {
        let query = try PlannedQuery(query, in: database)
        return try await read { db, state in
            (try state.documents(at: paths, db), try state.compiler(query).documents(db))
        } ?? (paths.map { _ in nil }, [])
    }

    /// Returns one value for each aggregation. SQLite counts; sums and averages read the fields of all matching
    /// documents.
    package func aggregate(_ aggregations: [Aggregation], over query: Query) async throws(StoreError) -> [Value] {
        let query = try PlannedQuery(query, for: aggregations, in: database)
        return try await read { db, state in
            try state.compiler(query).aggregate(aggregations, db)
        } ?? AggregationTally(aggregations).values
    }

    /// Returns a page of a collection. Costs one seek for each document that has documents below it.
    package func listing(
        of collection: CollectionPath, after id: String?, limit: Int, projection: [FieldPath]?
    ) async throws(StoreError) -> [ListedDocument] {
        let planned = try PlannedQuery(
            listing: collection, after: id, limit: limit, projection: projection, in: database)
        return try await read { db, state in
            try state.listing(of: collection, planned, after: id, limit: limit, db)
        } ?? []
    }

    /// Returns the ids of the collections below a document. Costs one seek for each.
    package func collectionIDs(below document: DocumentPath?) async throws(StoreError) -> [String] {
        try await read { db, state in try state.collectionIDs(below: document, db) } ?? []
    }

    package func check() async throws(StoreError) {
        _ = try await read { _, _ in true }
    }
}

extension SQLiteReader {
    /// Runs the closure on the state. Returns `nil` if the database had no documents yet.
    private func read<Answer: Sendable>(
        isLong: Bool = false, _ body: @escaping @Sendable (Database, DatabaseState) throws -> Answer
    ) async throws(StoreError) -> Answer? {
        try await engine.read(isLong: isLong) { db in try withState(db) { state in try body(db, state) } }
    }

    /// Runs the closure on the state, in a transaction that has read nothing yet.
    func withState<Answer>(_ db: Database, _ body: (DatabaseState) throws -> Answer) throws -> Answer? {
        if let time { return try pastState(at: time, db).map(body) }
        // While a database gets another number, the rows of the old one may be erased. The answer counts only if no
        // number has changed before its end.
        let (number, epoch) = engine.numbers.current(database)
        if let number {
            let answer = try body(state(number))
            if engine.numbers.epoch == epoch { return answer }
        }
        guard let row = try SQLStatements.row(of: database, db) else { return nil }
        engine.numbers.keepFirst(row, of: database)
        return try body(state(row.number))
    }

    /// Returns the state in a transaction that is kept; `nil` if the database has no documents.
    func lastingState(_ db: Database) throws -> DatabaseState? {
        if let time { return try pastState(at: time, db) }
        return try SQLStatements.row(of: database, db).map { state($0.number) }
    }

    private func state(_ number: Int64, at time: Timestamp? = nil) -> DatabaseState {
        DatabaseState(
            database: database, number: number, time: time, slots: engine.slots,
            hasEntries: engine.configuration.indexesFields(database), unreadable: engine.unreadable)
    }

    /// Returns the state at a time: the present one, with its indexes, if nothing in the database has changed since.
    ///
    /// - Throws: `FAILED_PRECONDITION` if the state is not kept.
    private func pastState(at time: Timestamp, _ db: Database) throws -> DatabaseState? {
        // After this, no later commit is visible. The time of the last change is set before a change is visible.
        let last = try SQLStatements.lastCommit(db) ?? .distantPast
        let row = try SQLStatements.row(of: database, db)
        if last <= time || engine.lastChanges.isUnchanged(database, since: time) {
            return row.map { state($0.number) }
        }
        guard let row else { return nil }
        guard let since = row.since, since <= time, time >= engine.oldestKept else { throw StoreError.tooOld }
        return state(row.number, at: time)
    }
}

extension Query {
    /// `true` if the query continues a long list, of which it mostly reads as many documents as its limit allows.
    fileprivate var isLaterPage: Bool { start != nil && (limit ?? .max) > 100 }
}
