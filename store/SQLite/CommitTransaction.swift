import GRDB

/// The commits of one SQLite transaction.
///
/// A commit is worked out against the state it finds, and only written once all its preconditions hold: so one that
/// fails has left nothing to undo, and no savepoint is needed around any.
struct CommitTransaction {
    private let db: Database
    private var databases: [DatabaseID: Int64] = [:]
    private var hasChanged = false
    private(set) var changes = ChangedDocuments()

    init(db: Database) { self.db = db }

    /// - Throws: what ends the whole transaction; what is wrong with this commit alone is its result.
    mutating func apply(
        _ writes: [KeyedWrite], to database: DatabaseID, at time: Timestamp
    ) throws -> Result<CommitResult, StoreError> {
        let number = try number(of: database)
        var working = WorkingSet()
        var updateTimes: [Timestamp?] = []
        for write in writes {
            let row = try working.row(for: write) { try SQLStatements.row(write.path, write.key, in: number, db) }
            do throws(StoreError) {
                let result = try write.write.applied(to: row.document, at: time)
                working.set(result, of: row)
                updateTimes.append(result?.updateTime)
            } catch {
                return .failure(error)
            }
        }
        try save(working, database, number)
        return .success(CommitResult(commitTime: time, updateTimes: updateTimes))
    }

    /// Keeps the time of the last commit, so that no later one falls below it, even after the clock was set back.
    func finish(at time: Timestamp) throws {
        try SQLStatements.setLastCommit(time, db)
    }

    private mutating func save(_ working: WorkingSet, _ database: DatabaseID, _ number: Int64) throws {
        for row in working.changedRows {
            try SQLStatements.save(row, in: number, db)
            changes.append(row.path, in: database)
        }
    }

    private mutating func number(of database: DatabaseID) throws -> Int64 {
        if let number = databases[database] { return number }
        let number = try SQLStatements.number(of: database, db) ?? SQLStatements.insert(database, db)
        databases[database] = number
        return number
    }
}

/// The documents that one commit has touched so far, as they would be.
private struct WorkingSet {
    private var rows: [DocumentRow] = []

    /// A commit has few writes: looking through them costs less than hashing their paths.
    func row(for write: KeyedWrite, orRead read: () throws -> DocumentRow) rethrows -> DocumentRow {
        try rows.first { $0.path == write.path } ?? read()
    }

    mutating func set(_ document: StoredDocument?, of row: DocumentRow) {
        var row = row
        row.hasChanged = row.hasChanged || row.document?.updateTime != document?.updateTime
        row.document = document
        rows.removeAll { $0.path == row.path }
        rows.append(row)
    }

    var changedRows: some Sequence<DocumentRow> { rows.lazy.filter(\.hasChanged) }
}

/// A document, and where it is in the table.
struct DocumentRow {
    let path: DocumentPath
    let key: RowKey
    /// Nil when the table has no such row.
    let id: Int64?
    var document: StoredDocument?
    var hasChanged = false
}
