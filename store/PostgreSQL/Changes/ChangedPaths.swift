import DocumentStore

/// The documents that other engines have changed between two groups of this one.
struct ChangedPaths {
    /// A row of the table `changes`: the time of its last change, and the token of its group.
    struct Mark: Hashable {
        let time: Timestamp
        let token: Int64
    }

    /// The moment after which changes are read.
    struct Start {
        /// The time of the last known commit.
        let time: Timestamp
        /// The last known row. If it is missing, the server has lost commits that are known, as a standby that takes
        /// over may have not received them, and what is known says nothing about its documents.
        let mark: Mark
    }

    /// The number of ``statements(after:upTo:)``.
    static let statementCount = 2

    private(set) var paths: [DocumentPath] = []
    /// The last row; `nil` if there is none.
    private(set) var last: Mark?

    /// Returns the statements for the documents that were changed after a moment.
    ///
    /// - Parameter row: the database's row with the time up to which they are read.
    static func statements(after start: Start, upTo row: DatabaseRow) -> [Call] {
        let (number, mark) = (Parameter.integer(row.number), start.mark)
        return [
            Call(ServerSQL.selectChangeMark, [number, .integer(mark.time.microseconds), .integer(mark.token)]),
            Call(
                ServerSQL.selectChangedPaths,
                [number, .integer(start.time.microseconds), .integer(row.lastCommit.microseconds)]),
        ]
    }

    /// Reads the rows of the statements; `nil` if the row of the start is missing, or if there are more than
    /// ``ServerSQL/mostChangedRows``.
    ///
    /// - Throws: `DATA_LOSS` if a list cannot be read.
    init?(marks: Rows, _ rows: Rows) throws(StoreError) {
        guard marks.count > 0, rows.count <= ServerSQL.mostChangedRows else { return nil }
        for row in 0..<rows.count {
            if rows.size(row, 0) == 0 {
                paths += try PackedChanges.unpacked(rows.bytes(row, 2) ?? []).map(\.path)
            } else {
                paths.append(rows.path(row))
            }
            guard let time = rows.integer(row, 3), let token = rows.integer(row, 4) else { continue }
            let mark = Mark(time: Timestamp(microseconds: time), token: token)
            if last.map({ $0.time < mark.time }) ?? true { last = mark }
        }
    }
}
