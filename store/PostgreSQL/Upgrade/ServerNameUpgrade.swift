import DocumentStore

/// The change of the tables of version 1: names and keys get the form of ``StoredName``, in which numeric ids come
/// first. Only rows with such ids, with U+0000 or with U+0001 change, and the entries of their databases.
struct ServerNameUpgrade {
    let connection: Connection
    let indexes: IndexBuilder

    private static let (earlier, version): (Int64, Int64) = (1, 2)

    /// Changes the tables if they are of version 1. Engines that start together wait for the first of them.
    func run() throws {
        guard try connection.run(ServerSQL.selectVersion).integer(0, 0) == Self.earlier else { return }
        try connection.inTransaction { connection in
            guard try connection.run(ServerSQL.lockSchema).integer(0, 0) == Self.earlier else { return }
            _ = try connection.run(ServerSQL.lockDatabases)
            _ = try connection.run(ServerSQL.deleteEarlierIndexes)
            let databases = try connection.run(ServerSQL.selectEarlierEntries)
            try rename()
            for row in 0..<databases.count {
                if let number = databases.integer(row, 0) { try writeEntries(ofDatabase: number) }
            }
            _ = try connection.run(ServerSQL.setVersion, [.integer(Self.version)])
        }
    }

    private func rename() throws {
        try connection.run(script: ServerSQL.createRenamed)
        _ = try connection.run(ServerSQL.declareNames)
        while true {
            let names = try connection.run(ServerSQL.fetchNames)
            guard names.count > 0 else { break }
            let renamed = (0..<names.count).compactMap { RenamedDocument(names, $0) }
            _ = try connection.run(ServerSQL.insertRenamed, RenamedDocument.columns(of: renamed))
        }
        try connection.run(script: ServerSQL.closeNames)
        try connection.run(script: ServerSQL.analyzeRenamed)
        for sql in [ServerSQL.setAside, ServerSQL.renameDocuments, ServerSQL.renameChanges] {
            _ = try connection.run(sql)
        }
        try connection.run(script: ServerSQL.dropRenamed)
    }

    /// Writes the entries of declared indexes. Those of automatic ones follow when the engine opens the database, whose
    /// row tells that it has none.
    private func writeEntries(ofDatabase number: Int64) throws {
        _ = try connection.run(ServerSQL.deleteEntriesOfDatabase, [.integer(number)])
        _ = try connection.run(ServerSQL.setIndexed, [.integer(number), .boolean(false)])
        for (collection, fields) in try DeclaredIndexes(connection).fields {
            for field in fields { try indexes.fill(field, of: collection, ofDatabase: number) }
        }
    }
}

/// The columns of a document's path before and after the change.
private struct RenamedDocument {
    let earlier: (parent: [UInt8], document: [UInt8])
    let columns: (parent: [UInt8], document: [UInt8], collection: [UInt8])

    /// Reads a row; `nil` if its path has the same form as before.
    init?(_ rows: Rows, _ row: Int32) {
        guard let parent = rows.text(row, 0), let document = rows.text(row, 1) else { return nil }
        let path = PathText.joined(EarlierName.decode(parent), EarlierName.decode(document))
        earlier = (Array(parent.utf8), Array(document.utf8))
        columns = RowKey(DocumentPath(unchecked: path)).columns
        if columns.parent == earlier.parent, columns.document == earlier.document { return nil }
    }

    static func columns(of documents: [RenamedDocument]) -> [Parameter] {
        [
            .texts(documents.map(\.earlier.parent)), .texts(documents.map(\.earlier.document)),
            .texts(documents.map(\.columns.parent)), .texts(documents.map(\.columns.document)),
            .texts(documents.map(\.columns.collection)),
        ]
    }
}
