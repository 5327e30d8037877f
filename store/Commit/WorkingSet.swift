/// A row of an engine's table with a document.
package protocol StoredRow: Sendable {
    var document: StoredDocument { get }
}

extension StoredDocument: StoredRow {
    package var document: StoredDocument { self }
}

/// The documents that one commit has read or changed so far, with their new contents.
package struct WorkingSet<Row: StoredRow>: Sendable {
    /// A document, and a write to it.
    package struct Place: Sendable {
        package let write: KeyedWrite
        /// The row in the table.
        package let row: Row?
        /// The document after all writes.
        package fileprivate(set) var document: StoredDocument?
        fileprivate var draft: DocumentDraft
        /// The update time that preconditions name, as in ``Precondition/check(exists:of:at:in:)``.
        fileprivate var version: Timestamp?
        fileprivate var isWritten = false
        fileprivate var hasChanged = false

        fileprivate init(write: KeyedWrite, row: Row?) {
            self.write = write
            self.row = row
            draft = DocumentDraft(row?.document)
            version = row?.document.updateTime ?? Precondition.missing
        }

        /// Decides on the document after all writes.
        fileprivate mutating func finish(at time: Timestamp) {
            document = draft.finished(at: time)
            hasChanged = document?.updateTime != row?.document.updateTime
        }
    }

    /// The number of places up to which a search is faster than hashing.
    private static var few: Int { 8 }

    private var places: [Place] = []
    /// The place of each path, if there are more than a few writes.
    private var indexes: [DocumentPath: Int] = [:]
    private var isSmall = true
    private var work = CommitWork()
    /// The number of places for which an empty set keeps memory.
    private static var mostKept: Int { 16 }

    /// Makes an empty set without memory.
    package init() {}

    /// Makes an empty set for a commit.
    ///
    /// - Parameter count: the number of writes.
    package init(writes count: Int) { begin(writes: count) }

    /// Begins a commit with this set, which is empty.
    ///
    /// - Parameter count: the number of writes.
    package mutating func begin(writes count: Int) {
        isSmall = count <= Self.few
        places.reserveCapacity(count)
        if !isSmall { indexes.reserveCapacity(count) }
    }

    /// Ends a commit, and keeps the memory for a next one that is as small.
    package mutating func removeAll() {
        places.removeAll(keepingCapacity: places.capacity <= Self.mostKept)
        indexes = [:]
        work = CommitWork()
    }

    /// Removes and returns all of this.
    package mutating func take() -> WorkingSet {
        defer { self = WorkingSet() }
        return self
    }

    /// Applies the writes of a commit in their order.
    ///
    /// - Parameters:
    ///   - writes: the writes.
    ///   - database: the documents' database, for messages.
    ///   - time: the commit's time.
    ///   - read: returns the row of a document that the set lacks.
    /// - Returns: the commit's result; a failure if a write cannot be applied.
    package mutating func apply(
        _ writes: [KeyedWrite], in database: DatabaseID, at time: Timestamp, orRead read: (KeyedWrite) throws -> Row?
    ) rethrows -> Result<CommitResult, StoreError> {
        var transformed: [Int: [Value]] = [:]
        for (position, write) in writes.enumerated() {
            let place = try place(for: write) { try read(write) }
            var results: [Value] = []
            do throws(StoreError) {
                try apply(write.write, at: place, in: database, time, results: &results)
            } catch {
                return .failure(Contradiction.error(of: writes.lazy.map(\.write.write), explaining: error))
            }
            if !results.isEmpty { transformed[position] = results }
        }
        for index in places.indices { places[index].finish(at: time) }
        if writes.count == 1 {
            let updateTime = updateTime(of: writes[0], at: 0)
            return .success(CommitResult(commitTime: time, updateTime: updateTime, transformed: transformed))
        }
        return .success(
            CommitResult(commitTime: time, updateTimes: updateTimes(of: writes), transformed: transformed))
    }

    private func updateTimes(of writes: [KeyedWrite]) -> [Timestamp?] {
        // Writes to different documents have their places in their order.
        let areDifferent = places.count == writes.count
        return writes.indices.map { position in
            updateTime(of: writes[position], at: areDifferent ? position : index(of: writes[position].path))
        }
    }

    /// Returns the update time of the document at a place after all writes; `nil` if it is deleted, or if the write
    /// only verifies.
    private func updateTime(of write: KeyedWrite, at place: Int?) -> Timestamp? {
        guard write.write.write.operation.writesDocument else { return nil }
        return place.flatMap { places[$0].document?.updateTime }
    }

    /// Returns the place of a write's document, and reads the document if it is not in the set yet.
    private mutating func place(for write: KeyedWrite, orRead read: () throws -> Row?) rethrows -> Int {
        if let index = index(of: write.path) { return index }
        let row = try read()
        if !isSmall { indexes[write.path] = places.count }
        places.append(Place(write: write, row: row))
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
    private mutating func apply(
        _ write: PreparedWrite, at place: Int, in database: DatabaseID, _ time: Timestamp, results: inout [Value]
    ) throws(StoreError) {
        try work.add(write.write)
        if !places[place].isWritten { try work.add(places[place].row?.document.json.count ?? 0) }
        try write.write.precondition?.check(
            exists: places[place].draft.exists, of: places[place].version, at: write.write.path, in: database)
        guard write.write.operation.changes else { return }
        try places[place].draft.apply(write, at: time, results: &results, work: &work)
        if !places[place].isWritten, !write.write.hasVersion { places[place].version = nil }
        places[place].isWritten = true
    }

    /// Determines the entries of the changed documents in the automatic indexes. Call this after all writes.
    ///
    /// - Parameter indexes: the declared indexes.
    /// - Throws: `INVALID_ARGUMENT` if a document has too many, or the commit; `DATA_LOSS` if its fields cannot be
    ///   read.
    package mutating func entries(
        declared indexes: [FieldIndex]
    ) throws(StoreError) -> [DocumentPath: Set<FieldEntry>] {
        var entries: [DocumentPath: Set<FieldEntry>] = [:]
        for place in changed {
            guard let document = place.document else { continue }
            let path = place.write.path
            let new = try FieldEntry.entries(of: document.fields(at: path), at: path, declared: indexes)
            try work.add(entries: new.count)
            entries[path] = new
        }
        return entries
    }

    /// The places whose documents are another after all writes.
    package var changed: some Sequence<Place> { places.lazy.filter { $0.hasChanged } }
}
