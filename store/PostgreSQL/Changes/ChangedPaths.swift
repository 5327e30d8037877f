import DocumentStore

/// The documents that other engines have changed between two groups of this one.
enum ChangedPaths {
    /// Returns the statement for the documents that were changed after a time.
    ///
    /// - Parameter row: the database's row with the time up to which they are read.
    static func statement(after time: Timestamp, upTo row: DatabaseRow) -> Call {
        Call(
            ServerSQL.selectChangedPaths,
            [.integer(row.number), .integer(time.microseconds), .integer(row.lastCommit.microseconds)])
    }

    /// Returns the documents in the rows of the statement; `nil` if there are more than ``ServerSQL/mostChangedRows``.
    ///
    /// - Throws: `DATA_LOSS` if a list cannot be read.
    static func paths(in rows: Rows) throws(StoreError) -> [DocumentPath]? {
        guard rows.count <= ServerSQL.mostChangedRows else { return nil }
        var paths: [DocumentPath] = []
        for row in 0..<rows.count {
            if rows.size(row, 0) == 0 {
                paths += try PackedChanges.unpacked(rows.bytes(row, 2) ?? []).map(\.path)
            } else {
                paths.append(rows.path(row))
            }
        }
        return paths
    }
}
