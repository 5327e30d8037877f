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
        let found = try entries(rows).filter { $0.time > time }
        guard !found.isEmpty else { return [] }
        let keys = Set(found.map(\.path)).map(RowKey.init)
        // Backwards: each change found the document that the change before it left.
        var after = try connection.run(
            [StateSource(database: database, time: nil).documents(at: keys)])[0].storedByPath()
        var changes: [ChangedDocument] = []
        for entry in found.reversed() {
            changes.append(
                ChangedDocument(
                    database: database, path: entry.path, before: entry.before, after: after[entry.path],
                    time: entry.time))
            after[entry.path] = entry.before
        }
        return changes.reversed()
    }

    /// A change as the table has it.
    private struct Entry {
        let time: Timestamp
        let path: DocumentPath
        /// The document before the change, if the database kept versions.
        let before: StoredDocument?
    }

    /// Reads the changes of rows, in their order.
    private func entries(_ rows: Rows) throws -> [Entry] {
        var entries: [Entry] = []
        entries.reserveCapacity(Int(rows.count))
        for row in 0..<rows.count {
            if rows.size(row, 1) == 0 {
                for change in try PackedChanges.unpacked(rows.bytes(row, 3) ?? []) {
                    entries.append(Entry(time: change.time, path: change.path, before: nil))
                }
            } else {
                let time = Timestamp(microseconds: rows.integer(row, 0) ?? 0)
                entries.append(Entry(time: time, path: rows.path(row, from: 1), before: rows.stored(row, from: 3)))
            }
        }
        return entries
    }
}
