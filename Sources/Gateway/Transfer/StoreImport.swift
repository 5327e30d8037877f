import DocumentStore
import FirestoreAPI
import Foundation
package import Instance
package import Logging
import PostgreSQLStore

/// An import of an export into a data directory, which must be new, or one into which the same export was imported in
/// part.
package struct StoreImport: Sendable {
    private static let batch = (documents: 500, values: 20_000)

    private let export: StoreExport
    private let configuration: GatewayConfiguration
    private let logger: Logger

    /// Describes an import.
    ///
    /// - Parameter configuration: The settings of the gateway that is to run on the directory, for its indexes.
    package init(of export: StoreExport, _ configuration: GatewayConfiguration, logger: Logger) {
        self.export = export
        self.configuration = configuration
        self.logger = logger
    }

    /// Imports the documents that are not in the directory yet.
    ///
    /// - Returns: The number of documents that were written by this call.
    package func run(report: TransferProgress.Report = { _ in }) async throws -> Int {
        let directory = try DataDirectory(creating: configuration.data.directory)
        let start = try begin(in: directory)
        let storage = try GatewayStorage(configuration, isImporting: true, logger)
        do {
            try await storage.checkImport(isBegun: start > 0, leaseLength: configuration.store.lease)
        } catch {
            await storage.engine.close()
            if start == 0 { try directory.importProgress.end() }
            throw error
        }
        let end = try await write(after: start, to: storage, directory.importProgress, report)
        await storage.engine.close()
        try directory.importProgress.end()
        return end - start
    }

    /// Records the beginning.
    ///
    /// - Returns: The number of documents that earlier calls have written.
    private func begin(in directory: DataDirectory) throws(GatewayError) -> Int {
        let progress = directory.importProgress
        let done = try progress.count(of: export.digest)
        if done == nil, FileManager.default.fileExists(atPath: directory.database.path) {
            throw GatewayError(
                "there is a gateway's data in \(directory.path), and nothing in it is replaced. Name a new directory "
                    + "with --data-directory.")
        }
        try progress.note(done ?? 0, of: export.digest)
        return done ?? 0
    }

    /// Writes the documents after the first ones, and records the progress with each commit.
    ///
    /// - Returns: The number of documents, with the first ones.
    private func write(
        after start: Int, to storage: GatewayStorage, _ progress: ImportProgress, _ report: TransferProgress.Report
    ) async throws -> Int {
        var (number, writes, values): (Int, [DatabaseID: [Write]], Int) = (start, [:], 0)
        try await export.forEachDocument(after: start) { line in
            writes[line.database, default: []].append(.set(line.path, line.fields))
            values += 1 + line.fields.count
            number += 1
            let count = writes.values.reduce(0) { $0 + $1.count }
            guard count >= Self.batch.documents || values >= Self.batch.values else { return }
            try await storage.commit(writes)
            (writes, values) = ([:], 0)
            try progress.note(number, of: export.digest)
            report(TransferProgress("importing documents", .documents, done: number, of: export.documentCount))
        }
        try await storage.commit(writes)
        return number
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
