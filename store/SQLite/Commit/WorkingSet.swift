/// The documents that one commit has read or changed so far, with their new contents.
struct WorkingSet {
    private struct Place {
        let write: KeyedWrite
        /// The row in the table.
        let row: DocumentRow?
        var document: StoredDocument?
        /// The update time that preconditions name, as in ``PreparedWrite/applied(to:of:in:at:results:)``.
        var version: Timestamp?
        var writes = 0
        var hasChanged = false
        /// The new document's entries in the automatic indexes, if the database has them.
        var entries: Set<FieldEntry> = []
    }

    /// The number of places up to which a search is faster than hashing.
    private static let few = 8

    private var places: [Place] = []
    /// The place of each path, if there are more than a few writes.
    private var indexes: [DocumentPath: Int] = [:]
    private let isSmall: Bool

    /// Makes an empty set.
    ///
    /// - Parameter count: the number of writes.
    init(writes count: Int) {
        isSmall = count <= Self.few
        places.reserveCapacity(count)
        if !isSmall { indexes.reserveCapacity(count) }
    }

    /// Returns the place of a write's document, and reads the document if it is not in the set yet.
    mutating func place(for write: KeyedWrite, orRead read: () throws -> DocumentRow?) rethrows -> Int {
        if let index = index(of: write.path) { return index }
        let row = try read()
        if !isSmall { indexes[write.path] = places.count }
        places.append(Place(write: write, row: row, document: row?.document, version: row?.document.updateTime))
        return places.count - 1
    }

    private func index(of path: DocumentPath) -> Int? {
        isSmall ? places.firstIndex { $0.write.path == path } : indexes[path]
    }

    /// Applies a write to the document at a place.
    ///
    /// - Parameters:
    ///   - write: the write.
    ///   - place: the place that ``place(for:orRead:)`` returned for it.
    ///   - database: the document's database, for messages.
    ///   - time: the commit's time.
    ///   - results: receives the results of the write's transforms.
    mutating func apply(
        _ write: PreparedWrite, at place: Int, in database: DatabaseID, _ time: Timestamp, results: inout [Value]
    ) throws(StoreError) {
        let current = places[place].document
        let document = try write.applied(
            to: current, of: places[place].version, in: database, at: time, results: &results)
        if places[place].writes == 0, !write.write.hasVersion { places[place].version = nil }
        if document?.updateTime != current?.updateTime { places[place].hasChanged = true }
        places[place].writes += 1
        places[place].document = document
    }

    /// Gives documents that several writes changed and changed back their old times. Call this after all writes.
    mutating func restoreUnchanged() {
        for index in places.indices where places[index].writes > 1 {
            guard let before = places[index].row?.document, let after = places[index].document,
                after.json == before.json, after.createTime == before.createTime
            else { continue }
            places[index].document = before
            places[index].hasChanged = false
        }
    }

    /// Determines the entries of the changed documents in the automatic indexes. Call this after all writes.
    ///
    /// - Throws: `INVALID_ARGUMENT` if a document has too many; `DATA_LOSS` if its fields cannot be read.
    mutating func index() throws(StoreError) {
        for index in places.indices where places[index].hasChanged {
            places[index].entries = try places[index].document?.entries(at: places[index].write.path) ?? []
        }
    }

    /// Returns the update time of the document at a place after all writes; `nil` if it is deleted.
    func updateTime(at place: Int) -> Timestamp? { places[place].document?.updateTime }

    /// Writes the changed documents to the table.
    ///
    /// - Parameters:
    ///   - statements: the table's.
    ///   - versions: receives the documents that are superseded, if the database keeps them.
    ///   - entries: the statements of the automatic indexes, if the database has them.
    ///   - database: the database's number.
    ///   - time: the commit's time.
    ///   - didChange: called with the document's path, and with the document before and after.
    func save(
        with statements: DocumentStatements, _ versions: inout VersionStatements?, _ entries: EntryStatements?,
        in database: Int64, at time: Timestamp, didChange: (DocumentPath, StoredDocument?, StoredDocument?) -> Void
    ) throws {
        for place in places where place.hasChanged {
            let before = place.row?.document
            let id: Int64
            switch (place.row, place.document) {
            case (nil, let document?): id = try statements.insert(document, by: place.write, in: database)
            case (let row?, let document?): id = try statements.update(row, to: document, by: place.write)
            case (let row?, nil): id = try statements.delete(row)
            case (nil, nil): continue
            }
            try entries?.replace(before, with: place.entries, at: id, of: place.write, in: database)
            if let before { try versions?.insert(before, of: place.write.key, in: database, until: time) }
            didChange(place.write.path, before, place.document)
        }
    }
}
