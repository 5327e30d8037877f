package import DocumentStore
import FirestoreAPI
import Foundation
package import Logging
import PostgreSQLStore

/// Exports of a data directory's documents, and their import into a new one.
extension DataDirectory {
    private static let batch = (documents: 500, values: 20_000)

    /// Exports the documents of a backup.
    ///
    /// The file is on the disk, and no copy of the documents is, when this method returns.
    ///
    /// - Parameter path: The new file.
    package static func export(_ backup: StoreBackup, to path: String) async throws(GatewayError) -> StoreExport {
        let file = AtomicFile(path)
        let copy = "\(file.name).documents-\(getpid())"
        try changing("create", copy, beside: file) { folder throws(SystemError) in try folder.make(copy, .own(0o700)) }
        let partial = AtomicFile("\(file.name).part-\(getpid())", in: file.folder)
        let export: StoreExport
        do throws(GatewayError) {
            export = try await write(backup, to: partial, by: "\(file.folder.path)/\(copy)/documents.sqlite")
            try partial.rename(to: file.name, access: .own)
        } catch {
            try? partial.remove()
            try? file.folder.remove(copy)
            throw error
        }
        try changing("remove", copy, beside: file) { folder throws(SystemError) in try folder.remove(copy) }
        return StoreExport(path: path, export)
    }

    /// Writes the documents of a backup to a file.
    ///
    /// - Parameter database: The path of a new database for them.
    private static func write(
        _ backup: StoreBackup, to file: AtomicFile, by database: String
    ) async throws(GatewayError) -> StoreExport {
        let engine: SQLiteEngine
        do {
            try backup.restoreDocuments(to: database)
            engine = try SQLiteEngine(
                SQLiteStoreConfiguration(path: database), logger: Logger(label: "pushgate.export"))
        } catch {
            throw GatewayError("cannot read \(backup.path): \(error.message)")
        }
        do throws(GatewayError) {
            let export = try await StoreExport.write(engine, madeAt: backup.madeAt, to: file.path)
            await engine.close()
            return export
        } catch {
            await engine.close()
            throw error
        }
    }

    private static func changing(
        _ operation: String, _ name: String, beside file: AtomicFile,
        _ body: (Folder) throws(SystemError) -> Void
    ) throws(GatewayError) {
        do throws(SystemError) {
            try body(file.folder)
        } catch {
            throw GatewayError(cannot: operation, "\(file.folder.path)/\(name)", error)
        }
    }

    /// Imports an export into the directory, which must be new, or one into which the same export was imported in part.
    ///
    /// - Parameter configuration: The settings of the gateway that is to run on it, for its indexes.
    /// - Returns: The number of documents that were written by this call.
    package static func importing(
        _ export: StoreExport, _ configuration: GatewayConfiguration, logger: Logger
    ) async throws -> Int {
        let path = configuration.dataDirectory
        let directory = try DataDirectory(creating: path)
        let done = try directory.importProgress(of: export.digest)
        if done == nil, FileManager.default.fileExists(atPath: directory.databasePath) {
            throw GatewayError(
                "there is a gateway's data in \(path), and nothing in it is replaced. Name a new directory with "
                    + "--data-directory.")
        }
        try directory.noteImport(done ?? 0, of: export.digest)
        let storage = try GatewayStorage(configuration, isImporting: true, logger)
        do {
            try await storage.checkImport(isBegun: done ?? 0 > 0, leaseLength: configuration.store.lease)
        } catch {
            await storage.engine.close()
            if done ?? 0 == 0 { try directory.endImport() }
            throw error
        }
        var (number, writes, values): (Int, [DatabaseID: [Write]], Int) = (done ?? 0, [:], 0)
        let start = number
        try await export.forEachDocument(after: number) { line in
            writes[line.database, default: []].append(.set(line.path, line.fields))
            values += 1 + line.fields.count
            number += 1
            guard writes.values.reduce(0, { $0 + $1.count }) >= batch.documents || values >= batch.values else {
                return
            }
            try await storage.commit(writes)
            (writes, values) = ([:], 0)
            try directory.noteImport(number, of: export.digest)
        }
        try await storage.commit(writes)
        await storage.engine.close()
        try directory.endImport()
        return number - start
    }
}

extension GatewayStorage {
    /// Checks that no gateway uses the database, and that it has no documents but those of the import.
    fileprivate func checkImport(isBegun: Bool, leaseLength: Duration) async throws {
        guard let server = engine as? PostgreSQLEngine else { return }
        try await server.checkMembers(leaseLength: leaseLength)
        let isEmpty = try await server.databases().isEmpty
        guard isBegun || isEmpty else {
            throw GatewayError(
                "the database of store.url has documents already, and nothing in it is replaced. Name an empty one.")
        }
    }

    fileprivate func commit(_ writes: [DatabaseID: [Write]]) async throws {
        for (database, writes) in writes where !writes.isEmpty {
            _ = try await engine.store(for: database).commitTransferred(writes)
        }
    }
}
