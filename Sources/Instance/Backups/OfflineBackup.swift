package import DocumentStore
import Foundation
package import Logging

/// Backups of a data directory whose database no gateway has open.
package struct OfflineBackup: Sendable {
    private let directory: DataDirectory
    private let files: KeptFiles

    /// Refers to the backups of a directory.
    package init(of directory: DataDirectory) {
        self.directory = directory
        files = KeptFiles(of: directory)
    }

    private var database: String { directory.database.path }

    /// Backs up the directory to a new file.
    ///
    /// - Throws: `GatewayError` if a gateway uses it, or if the backup cannot be written.
    package func make(
        at path: String, report: @escaping TransferProgress.Report = { _ in }
    ) throws(GatewayError) -> StoreBackup {
        try directory.restoreMark.check()
        guard FileManager.default.fileExists(atPath: database) else {
            throw GatewayError(
                "there is no gateway's data in \(directory.path). Name its directory with --data-directory.")
        }
        do {
            return try write(to: path, report)
        } catch {
            throw GatewayError("cannot back up \(directory.path): \(error.message)")
        }
    }

    /// Makes a backup in the directory if opening the database would update its tables, after which no earlier version
    /// can open it. The directory must be locked.
    ///
    /// - Parameter isUpgraded: Returns `true` if opening a file updates its tables.
    package func makeBeforeUpgrade(
        _ logger: Logger, if isUpgraded: (String) throws(StoreError) -> Bool = SQLiteEngine.upgrades(path:)
    ) throws(GatewayError) {
        let folder = BackupFolder(of: directory)
        do {
            guard try isUpgraded(database) else { return }
            let unfinished = try folder.begin(.upgrade)
            let backup = try unfinished.finish(write(to: unfinished.path))
            try folder.keep(2, of: .upgrade)
            logger.notice("made a backup before updating the database", metadata: ["file": "\(backup.path)"])
        } catch let error as StoreError {
            throw GatewayError(
                "cannot back up \(database) before this version updates it: \(error.message). Nothing was changed. "
                    + "Set backups.beforeUpgrade to false if there is another backup.")
        } catch let error as GatewayError {
            throw error
        } catch {
            throw GatewayError("cannot back up \(database): \(error)")
        }
    }

    private func write(
        to path: String, _ report: @escaping TransferProgress.Report = { _ in }
    ) throws(StoreError) -> StoreBackup {
        try StoreBackup.make(
            of: database, to: path, files: { [files] add in try files.forEach(add) },
            progress: { report(TransferProgress("backing up", .bytes, done: $0, of: $1)) })
    }
}
