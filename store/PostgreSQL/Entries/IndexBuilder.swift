import DocumentStore
import Logging

/// Makes the entries on the server match the settings of a gateway that starts. Commits of all gateways wait meanwhile,
/// which is short unless the documents of a new index are many.
struct IndexBuilder {
    /// The number of documents that are read at once. Together they may have a million entries.
    private static let pageSize: Int64 = 25

    let connection: Connection
    let logger: Logger

    /// Makes the declared indexes that the server does not have.
    func make(_ indexes: [FieldIndex]) throws {
        for index in indexes { try index.validate() }
        guard try !DeclaredIndexes(connection).missing(of: indexes).isEmpty else { return }
        try connection.inTransaction { connection in
            _ = try connection.run(ServerSQL.lockSchema)
            let databases = try connection.run(ServerSQL.lockDatabases)
            // Another gateway may have made them meanwhile.
            for index in try DeclaredIndexes(connection).missing(of: indexes) {
                for row in 0..<databases.count {
                    guard let number = databases.integer(row, 0) else { continue }
                    try fill(index.field, of: index.collectionColumn, ofDatabase: number)
                }
                let name = Array(FieldEntry.name(of: index.field).utf8)
                _ = try connection.run(ServerSQL.insertFieldIndex, [.text(index.collectionColumn), .text(name)])
            }
        }
    }

    /// Makes the automatic indexes of the databases that are to have them, and removes those of others.
    ///
    /// - Parameters:
    ///   - isIndexed: returns `true` for a database that is to have entries for each field.
    ///   - indexes: the declared indexes.
    func makeAutomatic(where isIndexed: (DatabaseID) -> Bool, declared indexes: [FieldIndex]) throws {
        let rows = try connection.run(ServerSQL.selectIndexed)
        for row in 0..<rows.count {
            let database = DatabaseID(project: rows.text(row, 0) ?? "", database: rows.text(row, 1) ?? "")
            let isWanted = isIndexed(database)
            guard rows.isTrue(row, 2) != isWanted else { continue }
            if isWanted {
                logger.notice(
                    "indexing all fields of a database; this can take a minute", metadata: ["database": "\(database)"])
            }
            try connection.inTransaction { connection in
                let locked = DatabaseRow(try connection.run(ServerSQL.lockDatabase, database.parameters))
                guard let locked, locked.isIndexed != isWanted else { return }
                if isWanted { try fillAutomatic(locked.number, indexes) } else { try removeAutomatic(locked.number) }
                _ = try connection.run(ServerSQL.setIndexed, [.integer(locked.number), .boolean(isWanted)])
            }
        }
    }

    /// Writes the entries of a declared index.
    ///
    /// - Parameter collection: the collections' id as in its column.
    private func fill(_ field: FieldPath, of collection: [UInt8], ofDatabase number: Int64) throws {
        let declared = [DeclaredField(field)]
        try forEachPage(of: number, in: collection) { path, document throws(StoreError) in
            try IndexEntry.entries(of: document, at: path, RowKey(path), automatic: nil, declared: declared)
        }
    }

    private func fillAutomatic(_ number: Int64, _ indexes: [FieldIndex]) throws {
        try forEachPage(of: number, in: nil) { path, document throws(StoreError) in
            let fields = try document.fields(at: path)
            do throws(StoreError) {
                let automatic = try FieldEntry.entries(of: fields, at: path, declared: indexes)
                return try IndexEntry.entries(
                    of: document, at: path, RowKey(path), automatic: automatic, declared: [])
            } catch {
                throw StoreError(
                    .failedPrecondition,
                    error.message + "; open the database without them, and delete or change the document first")
            }
        }
    }

    private func removeAutomatic(_ number: Int64) throws {
        _ = try connection.run(
            ServerSQL.deleteAutomaticEntries,
            [.integer(number), .text(IndexScope.firstGroup), .text(IndexScope.afterGroups)])
    }

    /// Writes the entries of all documents that can be read.
    private func forEachPage(
        of number: Int64, in collection: [UInt8]?,
        _ entries: (DocumentPath, StoredDocument) throws(StoreError) -> Set<IndexEntry>
    ) throws {
        var last: [Parameter] = [.text(""), .text("")]
        while true {
            let page = [.integer(number)] + last + [.integer(Self.pageSize)]
            let rows =
                try collection.map { try connection.run(ServerSQL.selectGroupToIndex, page + [.text($0)]) }
                ?? connection.run(ServerSQL.selectDocumentsToIndex, page)
            guard rows.count > 0 else { return }
            var new: [IndexEntry] = []
            for row in 0..<rows.count {
                guard let document = rows.stored(row) else { continue }
                do throws(StoreError) {
                    new += try entries(rows.path(row), document)
                } catch {
                    guard error.code == .dataLoss else { throw error }
                }
            }
            _ = try connection.run(ServerSQL.insertEntries, [.integer(number)] + IndexEntry.columns(of: new))
            last = [.text(rows.bytes(rows.count - 1, 0) ?? []), .text(rows.bytes(rows.count - 1, 1) ?? [])]
        }
    }
}
