package import DocumentStore
import Foundation
import Logging

/// Exports of a data directory's documents.
extension DataDirectory {
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
}
