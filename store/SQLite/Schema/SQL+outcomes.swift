/// The SQL of the outcomes of transactions.
extension SQL {
    // MARK: Tables

    /// The results of the commits of transactions, in the order of their times. `result` is the text of a
    /// ``CommitOutcome``.
    static let createOutcomes = """
        CREATE TABLE outcomes (
            id INTEGER PRIMARY KEY,
            database INTEGER NOT NULL,
            committed_at INTEGER NOT NULL,
            transaction_id BLOB NOT NULL,
            digest BLOB NOT NULL,
            result TEXT NOT NULL
        ) STRICT
        """

    static let createOutcomeIndex = """
        CREATE UNIQUE INDEX outcomes_by_transaction ON outcomes (database, transaction_id)
        """

    // MARK: Statements

    /// Uses `outcomes_by_transaction`.
    static let selectOutcome = """
        SELECT committed_at, digest, result FROM outcomes WHERE database = ? AND transaction_id = ?
        """
    static let insertOutcome = """
        INSERT INTO outcomes (database, committed_at, transaction_id, digest, result) VALUES (?, ?, ?, ?, ?)
        """
    static let selectOldestOutcomes = "SELECT id, committed_at FROM outcomes ORDER BY id LIMIT ?"
    static let deleteOutcome = "DELETE FROM outcomes WHERE id = ?"

    // MARK: Removed databases

    /// Finds the next number in the table with one seek.
    static let selectNextOutcomeNumber = "SELECT min(database) FROM outcomes WHERE database > ?"
    static let selectOutcomeRows = "SELECT id FROM outcomes WHERE database = ? LIMIT ?"
}
