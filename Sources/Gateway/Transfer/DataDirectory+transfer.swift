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
    /// - Parameter path: The new file.
    package static func export(_ backup: StoreBackup, to path: String) async throws(GatewayError) -> StoreExport {
        let folder = path + ".documents-\(getpid())"
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            throw GatewayError("cannot create \(folder): \(error.localizedDescription)")
        }
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let database = folder + "/documents.sqlite"
        let engine: SQLiteEngine
        do {
            try backup.restoreDocuments(to: database)
            engine = try SQLiteEngine(
                SQLiteStoreConfiguration(path: database), logger: Logger(label: "pushgate.export"))
        } catch {
            throw GatewayError("cannot read \(backup.path): \(error.message)")
        }
        let partial = path + ".part-\(getpid())"
        do throws(GatewayError) {
            let export = try await StoreExport.write(engine, madeAt: backup.madeAt, to: partial)
            await engine.close()
            guard rename(partial, path) == 0 else {
                throw GatewayError("cannot rename \(partial): \(String(cString: strerror(errno)))")
            }
            return StoreExport(path: path, export)
        } catch {
            unlink(partial)
            throw error
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
            _ = try await engine.store(for: database).commit(writes)
        }
    }
}
