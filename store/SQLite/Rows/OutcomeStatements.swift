import GRDB

/// The statements for the outcomes of transactions, prepared on the connection that writes.
struct OutcomeStatements {
    private let select: RawStatement
    private let insert: RawStatement

    init(_ db: Database) throws {
        select = try RawStatement(SQL.selectOutcome, db)
        insert = try RawStatement(SQL.insertOutcome, db)
    }

    /// Returns the outcome of a transaction; `nil` if it has not been committed in the last hour.
    func outcome(of identity: CommitIdentity, in database: Int64) throws -> CommitOutcome? {
        select.bind(database, at: 1)
        return try select.with(blob: identity.transaction, at: 2) {
            defer { select.reset() }
            guard try select.step() else { return nil }
            return try CommitOutcome(
                digest: select.blob(1), time: Timestamp(microseconds: select.number(0)), text: Array(select.bytes(2)))
        }
    }

    /// Keeps the outcome of a transaction.
    func insert(_ result: CommitResult, of identity: CommitIdentity, in database: Int64) throws {
        let outcome = CommitOutcome(digest: identity.digest, result: result)
        insert.bind(database, at: 1)
        insert.bind(result.commitTime.microseconds, at: 2)
        try insert.with(blob: identity.transaction, at: 3) {
            try insert.with(blob: identity.digest, at: 4) { try insert.with(outcome.text, at: 5, insert.execute) }
        }
    }
}
