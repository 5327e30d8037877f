import GRDB

/// The commits of one SQLite transaction.
///
/// A commit is worked out against the state it finds, and only written once all its preconditions hold: so one that
/// fails has left nothing to undo, and no savepoint is needed around any.
struct CommitTransaction {
    private let db: Database
    private let statements: DocumentStatements
    private let numbers: DatabaseNumbers
    /// Those that ``numbers`` lacks. An insert may still be rolled back.
    private var newNumbers: [DatabaseID: Int64] = [:]
    private(set) var changes = ChangedDocuments()

    init(db: Database, numbers: DatabaseNumbers, slots: IndexSlots) throws {
        self.db = db
        self.numbers = numbers
        statements = try DocumentStatements(db, slots: slots)
    }

    /// - Throws: what ends the whole transaction; what is wrong with this commit alone is its result.
    mutating func apply(
        _ writes: [KeyedWrite], to database: DatabaseID, at time: Timestamp
    ) throws -> Result<CommitResult, StoreError> {
        let number = try number(of: database)
        var working = WorkingSet(writes: writes.count)
        var updateTimes: [Timestamp?] = []
        updateTimes.reserveCapacity(writes.count)
        for write in writes {
            let place = try working.place(for: write) { try statements.row(write.key, in: number) }
            do throws(StoreError) {
                updateTimes.append(try working.apply(write.write, at: place, time))
            } catch {
                return .failure(error)
            }
        }
        try working.save(with: statements, in: number) { changes.append($0, in: database) }
        return .success(CommitResult(commitTime: time, updateTimes: updateTimes))
    }

    /// Keeps the time of the last commit, so that no later one falls below it, even after the clock was set back.
    func finish(at time: Timestamp) throws {
        try SQLStatements.setLastCommit(time, db)
    }

    /// To be called once the transaction is committed.
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
