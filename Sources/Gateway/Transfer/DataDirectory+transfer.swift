import DocumentStore
import FirestoreAPI
import Foundation
package import Instance
package import Logging
import PostgreSQLStore

/// The import of an export into a new data directory.
extension DataDirectory {
    private static let batch = (documents: 500, values: 20_000)

    /// Imports an export into the directory, which must be new, or one into which the same export was imported in part.
    ///
    /// - Parameter configuration: The settings of the gateway that is to run on it, for its indexes.
    /// - Returns: The number of documents that were written by this call.
    package static func importing(
        _ export: StoreExport, _ configuration: GatewayConfiguration, logger: Logger
    ) async throws -> Int {
        let path = configuration.data.directory
        let directory = try DataDirectory(creating: path)
        let done = try directory.importProgress.count(of: export.digest)
        if done == nil, FileManager.default.fileExists(atPath: directory.database.path) {
            throw GatewayError(
                "there is a gateway's data in \(path), and nothing in it is replaced. Name a new directory with "
                    + "--data-directory.")
        }
        try directory.importProgress.note(done ?? 0, of: export.digest)
        let storage = try GatewayStorage(configuration, isImporting: true, logger)
        do {
            try await storage.checkImport(isBegun: done ?? 0 > 0, leaseLength: configuration.store.lease)
        } catch {
            await storage.engine.close()
            if done ?? 0 == 0 { try directory.importProgress.end() }
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
            try directory.importProgress.note(number, of: export.digest)
        }
        try await storage.commit(writes)
        await storage.engine.close()
        try directory.importProgress.end()
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
