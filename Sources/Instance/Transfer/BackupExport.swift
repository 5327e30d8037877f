package import DocumentStore
import Foundation
import Logging

/// An export of the documents of a backup to a new file.
package struct BackupExport {
    private let backup: StoreBackup
    /// The path of the new file.
    private let path: String
    private let file: AtomicFile
    /// The name of a folder beside the file, for a database with the documents.
    private let copy: String

    /// Describes an export.
    ///
    /// - Parameter path: The new file.
    package init(of backup: StoreBackup, to path: String) {
        self.backup = backup
        self.path = path
        file = AtomicFile(path)
        copy = "\(file.name).documents-\(getpid())"
    }

    /// Writes the file.
    ///
    /// The file is on the disk, and no copy of the documents is, when this method returns.
    package func write(
        report: @escaping TransferProgress.Report = { _ in }
    ) async throws(GatewayError) -> StoreExport {
        try changing("create") { folder throws(SystemError) in try folder.make(copy, .own(0o700)) }
        let partial = AtomicFile("\(file.name).part-\(getpid())", in: file.folder)
        let export: StoreExport
        do throws(GatewayError) {
            export = try await write(to: partial, by: "\(file.folder.path)/\(copy)/documents.sqlite", report)
            try partial.rename(to: file.name, access: .own)
        } catch {
            try? partial.remove()
            try? file.folder.remove(copy)
            throw error
        }
        try changing("remove") { folder throws(SystemError) in try folder.remove(copy) }
        return StoreExport(path: path, export)
    }

    /// Writes the documents to a file.
    ///
    /// - Parameter database: The path of a new database for them.
    private func write(
        to file: AtomicFile, by database: String, _ report: @escaping TransferProgress.Report
    ) async throws(GatewayError) -> StoreExport {
        let engine: SQLiteEngine
        do {
            try backup.restoreDocuments(
                to: database,
                progress: { report(TransferProgress("reading the documents", .bytes, done: $0, of: $1)) })
            engine = try SQLiteEngine(
                SQLiteStoreConfiguration(path: database), logger: Logger(label: "pushgate.export"))
        } catch {
            throw GatewayError("cannot read \(backup.path): \(error.message)")
        }
        do throws(GatewayError) {
            let total = backup.documentCount
            let export = try await StoreExport.write(engine, madeAt: backup.madeAt, to: file.path) { done in
                report(TransferProgress("exporting documents", .documents, done: done, of: total))
            }
            await engine.close()
            return export
        } catch {
            await engine.close()
            throw error
        }
    }

    /// Changes the folder beside the file.
    ///
    /// - Parameter operation: The verb of the error.
    private func changing(
        _ operation: String, _ body: (Folder) throws(SystemError) -> Void
    ) throws(GatewayError) {
        do throws(SystemError) {
            try body(file.folder)
        } catch {
            throw GatewayError(cannot: operation, "\(file.folder.path)/\(copy)", error)
        }
    }
}
