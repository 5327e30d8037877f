/// The documents that one commit has touched so far, as they would be.
struct WorkingSet {
    private struct Place {
        let write: KeyedWrite
        /// The row in the table.
        let row: DocumentRow?
        var document: StoredDocument?
        var hasChanged = false
    }

    private var places: [Place] = []
    private var indexes: [DocumentPath: Int] = [:]

    init(capacity: Int) {
        places.reserveCapacity(capacity)
        indexes.reserveCapacity(capacity)
    }

    /// Where the document of a write is in the set, read if it is not in it yet.
    mutating func place(for write: KeyedWrite, orRead read: () throws -> DocumentRow?) rethrows -> Int {
        if let index = indexes[write.path] { return index }
        let row = try read()
        indexes[write.path] = places.count
        places.append(Place(write: write, row: row, document: row?.document))
        return places.count - 1
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
