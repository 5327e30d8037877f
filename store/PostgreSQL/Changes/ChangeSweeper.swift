import DocumentStore

/// The deletion of rows that nobody can read any longer: changes of more than an hour ago, and what belongs to the numbers
/// of databases that were emptied. Several engines may do it at the same time.
enum ChangeSweeper {
    /// The greatest number of rows that one statement deletes, so that commits do not wait for long.
    private static let most = 1_000

    /// Deletes rows until none is left.
    ///
    /// - Parameter oldest: the time of the earliest state that can be read.
    static func sweep(before oldest: Timestamp, _ connection: Connection) throws {
        let rows = try connection.run(ServerSQL.selectCommits)
        for row in 0..<rows.count {
            guard let number = rows.integer(row, 3) else { continue }
            try repeated(ServerSQL.deleteOldChanges, [.integer(number), .integer(oldest.microseconds)], connection)
        }
        for sql in [ServerSQL.sweepDocuments, ServerSQL.sweepChanges] { try repeated(sql, [], connection) }
    }

    private static func repeated(_ sql: String, _ parameters: [Parameter], _ connection: Connection) throws {
        while try connection.run(sql, parameters + [.integer(Int64(most))]).changed == most {}
    }
}
