import Cryptography
package import DocumentStore

/// The progress of a copy, in a document of the new store. While there is one, no gateway starts on that store.
package struct CopyProgress {
    /// The document, in the gateway's own database, which no client can write.
    private static var path: DocumentPath { DocumentPath(unchecked: "copies/current") }

    /// Returns `true` if the document is the one with the progress.
    static func isProgress(_ document: Document, in database: DatabaseID) -> Bool {
        database == .gateway && document.path == path
    }

    /// The database whose documents are being copied.
    var database = DatabaseID(project: "", database: "")
    /// The last document of it that was copied; `nil` if none was.
    var last: DocumentPath?
    /// The number of documents that were copied.
    var documents = 0
    /// A digest of the source's place.
    private let source: String
    /// The time at which the progress was last recorded; `nil` before the first time.
    private var updateTime: Timestamp?

    private init(source: String) { self.source = source }

    /// Returns the progress of the copy; a new one in a store without documents.
    ///
    /// - Throws: `GatewayError` if the store has other documents, or those of another copy.
    static func read(from store: OpenStore, copying source: OpenStore) async throws -> CopyProgress {
        let name = SHA256.hexadecimal(of: "\(source.place)")
        var progress = CopyProgress(source: name)
        guard let document = try await store.engine.store(for: .gateway).document(at: path) else {
            guard try await store.engine.databases().isEmpty else {
                throw GatewayError(
                    "\(store.place) has documents already, and nothing in it is replaced. Name an empty store with --to."
                )
            }
            try await progress.note(in: store)
            return progress
        }
        guard document["source"]?.string == name, let count = document["documents"]?.integer,
            let project = document["project"]?.string, let database = document["database"]?.string
        else {
            throw GatewayError(
                "the copy of another store into \(store.place) was begun and has not ended. Repeat that copy, or name "
                    + "an empty store with --to.")
        }
        progress.documents = Int(count)
        progress.updateTime = document.updateTime
        progress.database = DatabaseID(project: project, database: database)
        progress.last = document["last"]?.string.map { DocumentPath(unchecked: $0) }
        return progress
    }

    /// Records the progress.
    ///
    /// - Throws: `FAILED_PRECONDITION` if another process goes on with the same copy.
    mutating func note(in store: OpenStore) async throws {
        var fields: Fields = [
            "source": .string(source), "documents": .integer(Int64(documents)), "project": .string(database.project),
            "database": .string(database.database),
        ]
        fields["last"] = last.map { .string($0.description) }
        let precondition = updateTime.map { Precondition.updateTime($0) } ?? .exists(false)
        let result = try await store.engine.store(for: .gateway).commit([
            .set(Self.path, fields, precondition: precondition)
        ])
        updateTime = result.updateTimes.first ?? result.commitTime
    }

    /// Records that the copy has ended.
    func end(in store: OpenStore) async throws {
        _ = try await store.engine.store(for: .gateway).commit([.delete(Self.path)])
    }

    /// Throws an error if a copy into the store was begun and has not ended.
    package static func check(_ engine: any DocumentEngine) async throws {
        guard try await engine.store(for: .gateway).document(at: path) != nil else { return }
        throw problem.error
    }

    /// Returns the problem of a database file into which a copy was begun that has not ended; `nil` if there was none.
    /// No engine may have the file open.
    package static func unfinished(inFile file: String) throws(StoreError) -> DirectoryProblem? {
        try SQLiteEngine.contains(path, file: file) ? problem : nil
    }

    private static let problem = DirectoryProblem(
        fact: "a copy into this gateway's store was begun and has not ended",
        advice: "Repeat “pushgate copy” with the same stores.")
}
