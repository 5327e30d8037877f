/// The documents that one commit has touched so far, as they would be.
struct WorkingSet {
    private struct Place {
        let write: KeyedWrite
        /// The row in the table.
        let row: DocumentRow?
        var document: StoredDocument?
        var hasChanged = false
    }

    /// So many are looked through more quickly than hashed.
    private static let few = 8

    private var places: [Place] = []
    /// Of more than a few writes.
    private var indexes: [DocumentPath: Int] = [:]
    private let isSmall: Bool

    /// - Parameter count: of the writes.
    init(writes count: Int) {
        isSmall = count <= Self.few
        places.reserveCapacity(count)
        if !isSmall { indexes.reserveCapacity(count) }
    }

    /// Where the document of a write is in the set, read if it is not in it yet.
    mutating func place(for write: KeyedWrite, orRead read: () throws -> DocumentRow?) rethrows -> Int {
        if let index = index(of: write.path) { return index }
        let row = try read()
        if !isSmall { indexes[write.path] = places.count }
        places.append(Place(write: write, row: row, document: row?.document))
        return places.count - 1
    }

    private func index(of path: DocumentPath) -> Int? {
        isSmall ? places.firstIndex { $0.write.path == path } : indexes[path]
    }

    /// - Returns: the update time that the document has then; nil when there is none.
    mutating func apply(_ write: PreparedWrite, at place: Int, _ time: Timestamp) throws(StoreError) -> Timestamp? {
        let current = places[place].document
        let document = try write.applied(to: current, at: time)
        if document?.updateTime != current?.updateTime { places[place].hasChanged = true }
        places[place].document = document
        return document?.updateTime
    }

    /// Makes the table have what the set says.
    func save(with statements: DocumentStatements, in database: Int64, didChange: (DocumentPath) -> Void) throws {
        for place in places where place.hasChanged {
            switch (place.row, place.document) {
            case (nil, let document?): try statements.insert(document, by: place.write, in: database)
            case (let row?, let document?): try statements.update(row, to: document, by: place.write)
            case (let row?, nil): try statements.delete(row)
            case (nil, nil): continue
            }
            didChange(place.write.path)
        }
    }
}
