import GRDB

/// The commits of one SQLite transaction.
///
/// Each commit is computed in memory from the present state and written only after all its preconditions hold. A
/// commit that fails has thus written nothing, and no savepoint is necessary.
struct CommitTransaction {
    private let db: Database
    private let statements: DocumentStatements
    private let numbers: DatabaseNumbers
    /// The numbers that ``numbers`` lacks. Their inserts may still be rolled back.
    private var newNumbers: [DatabaseID: Int64] = [:]
    private(set) var changes = ChangedDocuments()

    init(db: Database, numbers: DatabaseNumbers, slots: IndexSlots) throws {
        self.db = db
        self.numbers = numbers
        statements = try DocumentStatements(db, slots: slots)
    }

    /// Applies one commit.
    ///
    /// - Returns: the commit's result; a failure concerns this commit only.
    /// - Throws: an error that ends the whole transaction.
    mutating func apply(
        _ writes: [KeyedWrite], to database: DatabaseID, at time: Timestamp
    ) throws -> Result<CommitResult, StoreError> {
        let number = try number(of: database)
        var working = WorkingSet(writes: writes.count)
        var updateTimes: [Timestamp?] = []
        updateTimes.reserveCapacity(writes.count)
        var transformed: [Int: [Value]] = [:]
        for (position, write) in writes.enumerated() {
            let place = try working.place(for: write) { try statements.row(write.key, in: number) }
            var results: [Value] = []
            do throws(StoreError) {
                updateTimes.append(try working.apply(write.write, at: place, in: database, time, results: &results))
            } catch {
                return .failure(Contradiction.error(of: writes.lazy.map(\.write.write), explaining: error))
            }
            if !results.isEmpty { transformed[position] = results }
        }
        try working.save(with: statements, in: number) { changes.append($0, in: database) }
        return .success(CommitResult(commitTime: time, updateTimes: updateTimes, transformed: transformed))
    }

    /// Stores the time of the last commit, so that later commits have later times even if the clock is set back.
    func finish(at time: Timestamp) throws {
        try SQLStatements.setLastCommit(time, db)
    }

    /// Keeps the new numbers. Call this after the transaction is committed.
    func didCommit() {
        for (database, number) in newNumbers { numbers.keep(number, of: database) }
    }

    private mutating func number(of database: DatabaseID) throws -> Int64 {
        if let number = numbers[database] ?? newNumbers[database] { return number }
        let number = try SQLStatements.number(of: database, db) ?? SQLStatements.insert(database, db)
        newNumbers[database] = number
        return number
    }
}

/// The documents that a group of commits created, changed or removed.
struct ChangedDocuments: Sendable {
    private var paths: [(database: DatabaseID, path: DocumentPath)] = []

    mutating func append(_ path: DocumentPath, in database: DatabaseID) {
        paths.append((database, path))
    }

    func concern(_ scope: Query.Scope, in database: DatabaseID) -> Bool {
        paths.contains { $0.database == database && scope.contains($0.path) }
    }
}
