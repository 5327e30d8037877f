import DocumentStore

/// The changes of a database that are in the table `changes`.
struct ChangeLog {
    let database: DatabaseID
    let connection: Connection

    /// Returns the changes after a time, up to another one, in the order of their commits. The documents after the last
    /// change of each path are the present ones, so no later commit may be visible to the connection.
    func changes(
        ofNumber number: Int64, after time: Timestamp, upTo last: Timestamp
    ) throws -> [ChangedDocument] {
        let rows = try connection.run(
            ServerSQL.selectChanges, [.integer(number), .integer(time.microseconds), .integer(last.microseconds)])
        guard rows.count > 0 else { return [] }
        let paths = (0..<rows.count).map { rows.path($0, from: 1) }
        let keys = Set(paths).map(RowKey.init)
        // Backwards: each change found the document that the change before it left.
        var after = try connection.run(
            [StateSource(database: database, time: nil).documents(at: keys)])[0].storedByPath()
        var changes: [ChangedDocument] = []
        for row in (0..<rows.count).reversed() {
            let path = paths[Int(row)]
            let before = rows.stored(row, from: 3)
            let changed = Timestamp(microseconds: rows.integer(row, 0) ?? 0)
            changes.append(
                ChangedDocument(database: database, path: path, before: before, after: after[path], time: changed))
            after[path] = before
        }
        return changes.reversed()
    }
}
