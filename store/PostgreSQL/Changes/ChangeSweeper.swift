import DocumentStore

/// The deletion of rows that nobody can read any longer: changes and outcomes of more than an hour ago, and what
/// belongs to the numbers of databases that were emptied. Several engines may do it at the same time.
enum ChangeSweeper {
    /// Deletes rows until none is left.
    ///
    /// - Parameter oldest: the time of the earliest state that can be read.
    static func sweep(before oldest: Timestamp, _ connection: Connection) throws {
        let rows = try connection.run(ServerSQL.selectCommits)
        for row in 0..<rows.count {
            guard let number = rows.integer(row, 3) else { continue }
            for sql in [ServerSQL.deleteOldChanges, ServerSQL.deleteOldOutcomes] {
                try repeated(sql, number, [.integer(oldest.microseconds)], connection)
            }
        }
        for table in ServerSQL.Table.allCases {
            let dead = try connection.run(ServerSQL.selectDeadNumbers(table))
            for row in 0..<dead.count {
                guard let number = dead.integer(row, 0) else { continue }
                try repeated(ServerSQL.deleteRows(table), number, [], connection)
            }
        }
    }

    private static func repeated(
        _ sql: String, _ number: Int64, _ parameters: [Parameter], _ connection: Connection
    ) throws {
        while try connection.run(sql, [.integer(number)] + parameters).changed == ServerSQL.mostDeleted {}
    }
}
