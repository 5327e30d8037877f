import DocumentStore

/// The row of a database in the table `databases`.
struct DatabaseRow {
    var number: Int64
    /// The time of the last commit.
    var lastCommit: Timestamp
    /// The time of the last commit that changed a document.
    var lastChange: Timestamp
    /// The time of the first state for which the versions of the database are complete; `nil` if none are kept.
    var since: Timestamp?
    /// `true` if the documents have entries for each field.
    var isIndexed: Bool

    /// Reads the row that ``ServerSQL/selectDatabase`` returns; `nil` if there is none.
    init?(_ rows: Rows) {
        guard rows.count > 0, let number = rows.integer(0, 0), let lastCommit = rows.integer(0, 1),
            let lastChange = rows.integer(0, 2)
        else { return nil }
        self.number = number
        self.lastCommit = Timestamp(microseconds: lastCommit)
        self.lastChange = Timestamp(microseconds: lastChange)
        since = rows.integer(0, 3).map { Timestamp(microseconds: $0) }
        isIndexed = rows.isTrue(0, 4)
    }
}

extension Timestamp {
    var next: Timestamp { adding(.microseconds(1)) }
}

extension DatabaseID {
    var parameters: [Parameter] { [.text(project), .text(database)] }
}
