import DocumentStore
import Foundation
import Logging

/// The change of the tables of version 1: names and keys get the form of ``StoredName``, in which numeric ids come
/// first. Only rows with such ids, with U+0000 or with U+0001 change, and the entries of their databases.
struct ServerNameUpgrade {
    let connection: Connection
    let indexes: IndexBuilder
    /// The time within which other members take over from one that does not answer.
    let leaseLength: Duration

    private static let (earlier, version): (Int64, Int64) = (1, 2)

    /// Changes the tables if they are of version 1. Engines that start together wait for the first of them.
    ///
    /// - Throws: `FAILED_PRECONDITION` if members renew their places. Gateways of the earlier version do not look at
    ///   the version again, and would write rows that nobody changes any more.
    func run() throws {
        guard try isNecessary(by: ServerSQL.selectVersion) else { return }
        if try hasLivingMembers() {
            // They may be of this version: engines that have changed the tables meanwhile, and joined.
            guard try isNecessary(by: ServerSQL.selectVersion) else { return }
            throw StoreError(
                .failedPrecondition,
                "gateways of an earlier version use the database; stop all of its gateways first")
        }
        try connection.inTransaction { connection in
            guard try isNecessary(by: ServerSQL.lockSchema) else { return }
            indexes.logger.notice(
                "rewriting names of an earlier version; this can take minutes in a large database")
            _ = try connection.run(ServerSQL.lockDatabases)
            // A gateway that only paused could go on. Without its place, its commits are refused.
            _ = try connection.run(ServerSQL.deleteMembers)
            _ = try connection.run(ServerSQL.deleteEarlierIndexes)
            let databases = try connection.run(ServerSQL.selectEarlierEntries)
            try rename()
            for row in 0..<databases.count {
                if let number = databases.integer(row, 0) { try writeEntries(ofDatabase: number) }
            }
            _ = try connection.run(ServerSQL.setVersion, [.integer(Self.version)])
        }
    }

    private func isNecessary(by statement: String) throws -> Bool {
        try connection.run(statement).integer(0, 0) == Self.earlier
    }

    /// Returns `true` if a member renews its place, or joins, within the time of two renewals. Looks once if there is
    /// none.
    private func hasLivingMembers() throws -> Bool {
        let before = try DatabaseMember.present(connection)
        guard !before.isEmpty else { return false }
        let renewals: Duration = leaseLength * 2 / 15
        Thread.sleep(forTimeInterval: renewals / .seconds(1))
        return try !DatabaseMember.present(connection).isSubset(of: before)
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
