import GRDB

/// The commits of one SQLite transaction.
///
/// Each commit is computed in memory from the present state and written only after all its preconditions hold. A
/// commit that fails has thus written nothing, and no savepoint is necessary.
struct CommitTransaction {
    private let db: Database
    private let statements: DocumentStatements
    private let numbers: DatabaseNumbers
    private let settings: SQLiteStoreConfiguration
    /// The rows that ``numbers`` lacks or has in an older form. Their changes may still be rolled back.
    private var newRows: [DatabaseID: StoredDatabase] = [:]
    private var versions: VersionStatements?
    private var entries: EntryStatements?
    private var outcomes: OutcomeStatements?
    private(set) var changes = ChangedDocuments()
    /// The rows of earlier groups, with those of this transaction. Their changes may still be rolled back.
    private(set) var written: WrittenRows
    /// Empty between two commits, with the memory of the last one.
    private(set) var workingSet: WorkingSet<DocumentRow>

    init(
        db: Database, numbers: DatabaseNumbers, slots: IndexSlots, settings: SQLiteStoreConfiguration,
        written: WrittenRows, workingSet: WorkingSet<DocumentRow>
    ) throws {
        self.db = db
        self.numbers = numbers
        self.settings = settings
        self.written = written
        self.workingSet = workingSet
        statements = try DocumentStatements(db, slots: slots)
    }

    /// Call this at the beginning of the transaction.
    mutating func begin() { written.begin(db) }

    /// Applies one commit.
    ///
    /// - Parameter identity: the name under which the result is kept; `nil` to keep none.
    /// - Returns: the commit's result; a failure concerns this commit only.
    /// - Throws: an error that ends the whole transaction.
    mutating func apply(
        _ writes: [KeyedWrite], to database: DatabaseID, as identity: CommitIdentity?, at time: Timestamp
    ) throws -> Result<CommitResult, StoreError> {
        let row = try row(of: database, at: time)
        // An insertion finds out by itself whether there is a document.
        if writes.count == 1, let write = writes.first?.write, write.isCreation,
            written.row(of: write.write.path, in: row.number) == nil,
            let result = try apply(writes, to: database, row, as: identity, at: time, readsRows: false)
        {
            return result
        }
        if let result = try apply(writes, to: database, row, as: identity, at: time, readsRows: true) { return result }
        throw DatabaseError(resultCode: .SQLITE_CONSTRAINT_UNIQUE)
    }

    /// Applies one commit.
    ///
    /// - Parameter readsRows: `false` to take the documents for missing.
    /// - Returns: the commit's result; `nil` if the rows have to be read to know it. Nothing was changed then.
    private mutating func apply(
        _ writes: [KeyedWrite], to database: DatabaseID, _ row: StoredDatabase, as identity: CommitIdentity?,
        at time: Timestamp, readsRows: Bool
    ) throws -> Result<CommitResult, StoreError>? {
        var working = workingSet.take()
        working.begin(writes: writes.count)
        defer {
            working.removeAll()
            workingSet = working
        }
        let result = try working.apply(writes, in: database, at: time) { write in
            guard readsRows else { return nil }
            return try written.row(of: write.path, in: row.number) ?? statements.row(write.key, in: row.number)
        }
        guard case .success(let success) = result else { return readsRows ? result : nil }
        var index: AutomaticIndex?
        if settings.indexesFields(database) {
            let statements = try entryStatements()
            do throws(StoreError) {
                index = AutomaticIndex(
                    statements: statements, entries: try working.entries(declared: settings.fieldIndexes))
            } catch {
                return readsRows ? .failure(error) : nil
            }
        }
        guard try save(working, index, in: row, of: database, at: time) else { return nil }
        // Without writes, a repetition changes nothing either.
        if let identity, !writes.isEmpty { try keep(success, as: identity, in: row) }
        return result
    }

    /// Returns the answer to a commit that may be a repetition; `nil` if no outcome of its transaction is kept.
    mutating func outcome(
        of identity: CommitIdentity, in database: DatabaseID
    ) throws -> Result<CommitResult, StoreError>? {
        let row = try newRows[database] ?? numbers[database] ?? SQLStatements.row(of: database, db)
        guard let row else { return nil }
        return try outcomeStatements().outcome(of: identity, in: row.number)?.answer(to: identity)
    }

    private mutating func keep(_ result: CommitResult, as identity: CommitIdentity, in row: StoredDatabase) throws {
        try outcomeStatements().insert(result, of: identity, in: row.number)
        changes.hasOutcomes = true
    }

    /// Stores the time of the last commit, so that later commits have later times even if the clock is set back.
    func finish(at time: Timestamp) throws {
        try SQLStatements.setLastCommit(time, db)
    }

    /// Keeps the new rows. Call this after the transaction is committed.
    mutating func didCommit() {
        for (database, row) in newRows { numbers.keep(row, of: database) }
        written.didCommit(db)
    }

    private mutating func save(
        _ working: WorkingSet<DocumentRow>, _ index: AutomaticIndex?, in row: StoredDatabase, of database: DatabaseID,
        at time: Timestamp
    ) throws -> Bool {
        // Else a version from an earlier commit of the group would be kept for a database that keeps none.
        var kept: VersionStatements?
        if row.since != nil {
            kept = try versions ?? VersionStatements(db)
            changes.versioned.insert(database)
        }
        let isSaved = try working.save(with: statements, &kept, index, in: row.number, at: time) {
            path, before, after in
            written.keep(after, of: path, in: row.number)
            changes.append(
                ChangedDocument(database: database, path: path, before: before, after: after?.document, time: time))
        }
        if let kept { versions = kept }
        return isSaved
    }

    private mutating func entryStatements() throws -> EntryStatements {
        let statements = try entries ?? EntryStatements(db)
        entries = statements
        return statements
    }

    private mutating func outcomeStatements() throws -> OutcomeStatements {
        let statements = try outcomes ?? OutcomeStatements(db)
        outcomes = statements
        return statements
    }

    /// Returns the row of a database, and creates or updates it if necessary.
    private mutating func row(of database: DatabaseID, at time: Timestamp) throws -> StoredDatabase {
        if !newRows.isEmpty, let row = newRows[database] { return row }
        let isKept = settings.keepsVersions(database)
        let known = numbers[database]
        if let known, (known.since != nil) == isKept { return known }
        let row = try currentRow(of: database, isKept: isKept, at: time)
        newRows[database] = row
        return row
    }

    private func currentRow(of database: DatabaseID, isKept: Bool, at time: Timestamp) throws -> StoredDatabase {
        guard let row = try SQLStatements.row(of: database, db) else {
            let since: Timestamp? = isKept ? .distantPast : nil
            return try SQLStatements.insert(
                database, since: since, isIndexed: settings.indexesFields(database), db)
        }
        guard (row.since != nil) != isKept else { return row }
        // All changes from this commit on are kept, so the states since the one before it.
        let since = isKept ? time.adding(.microseconds(-1)) : nil
        try SQLStatements.set(since: since, of: row.number, db)
        return StoredDatabase(number: row.number, since: since)
    }
}

extension CommitTransaction {
    /// Removes all documents of a database: it gets another number, which no row has. ``Sweeper`` deletes the rows.
    mutating func removeAll(from database: DatabaseID, at time: Timestamp) throws {
        guard let row = try SQLStatements.row(of: database, db) else { return }
        let isKept = settings.keepsVersions(database)
        try SQLStatements.renumber(row.number, since: isKept ? time : nil, db)
        newRows[database] = try SQLStatements.row(of: database, db)
        if isKept { changes.versioned.insert(database) }
        changes.append(ChangedDocuments.Removal(database: database, number: row.number, time: time))
    }

    /// Returns `true` if a read of a transaction has changed, or may have changed, since it was read.
    ///
    /// - Parameters:
    ///   - recent: the changes before this group of commits.
    ///   - lastCommit: the time of the last commit before this group.
    func conflicts(
        _ reads: TransactionReads, in database: DatabaseID, recent: RecentChanges, lastCommit: Timestamp
    ) throws -> Bool {
        try reads.haveChanged(in: database, by: changes, since: lastCommit) {
            if settings.keepsVersions(database), let isConflict = recent.conflicts(with: reads, in: database) {
                return isConflict
            }
            return try mayHaveChanged(reads, in: database)
        }
    }

    /// The most documents whose update times are compared, for which all commits wait.
    private static let mostCompared = 10_000

    /// Compares the update times of the documents.
    private func mayHaveChanged(_ reads: TransactionReads, in database: DatabaseID) throws -> Bool {
        guard let row = try SQLStatements.row(of: database, db) else { return false }
        guard reads.paths.count <= Self.mostCompared else { return true }
        return try reads.mayHaveChanged { path in try statements.row(RowKey(path), in: row.number)?.document }
    }
}
