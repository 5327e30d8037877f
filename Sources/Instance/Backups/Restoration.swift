package import DocumentStore
import Foundation

/// The restoring of a backup to a new data directory.
///
/// The database has another name, that of the ``RestoreMark``, from the beginning of a restore to its end. It then gets
/// its own name in one step, after everything else is on the disk. Whatever interrupts a restore, the directory has
/// either that mark, with which no gateway starts on it, or all files and documents of the backup.
///
/// The files are written where they belong, and not in a folder beside the directory that is renamed at the end: the
/// directory may be a mounted disk, or be in one to which this user cannot write.
package struct Restoration {
    private let directory: DataDirectory
    private var mark: RestoreMark { directory.restoreMark }

    /// Restores a backup to a new directory, or to one to which a restore was interrupted.
    ///
    /// - Throws: `GatewayError` if the directory has other contents, or if the backup is not whole. Nothing is left in
    ///   the directory then, and a directory that this call created is removed.
    package static func restore(
        _ backup: StoreBackup, to path: String, report: @escaping TransferProgress.Report = { _ in }
    ) throws(GatewayError) -> DataDirectory {
        let isNew = !FileManager.default.fileExists(atPath: path)
        let directory = try DataDirectory(creating: path)
        let restoration = Restoration(directory: directory)
        let mark = try restoration.begin()
        do {
            try backup.forEachFile(KeptFiles(of: directory).restore)
            try backup.restoreDocuments(
                to: directory.database.path,
                progress: { report(TransferProgress("restoring", .bytes, done: $0, of: $1)) })
            _ = consume mark
            return directory
        } catch {
            restoration.undo()
            if isNew { rmdir(path) }
            if let error = error as? GatewayError { throw error }
            throw GatewayError("cannot restore \(backup.path): \((error as? StoreError)?.message ?? "\(error)")")
        }
    }

    /// Creates the mark, and removes the contents that an interrupted restore has left.
    ///
    /// - Returns: The open mark, whose lock keeps out other processes.
    private func begin() throws(GatewayError) -> OpenFile {
        let isInterrupted = mark.unfinished != nil
        if !isInterrupted { try checkIsEmpty() }
        let open = try reporting(mark.locked)
        do throws(GatewayError) {
            // Other processes may have begun to use the directory before they could see the mark.
            try checkIsEmpty { name in name == RestoreMark.name || isInterrupted && name != DirectoryDatabase.name }
        } catch {
            if !isInterrupted { try? mark.remove() }
            throw error
        }
        try reporting(mark.removeOthers)
        return open
    }

    private func reporting<Output: ~Copyable>(
        _ body: () throws(SystemError) -> Output
    ) throws(GatewayError) -> Output {
        do throws(SystemError) {
            return try body()
        } catch {
            throw GatewayError(cannot: "restore a backup to", directory.path, error)
        }
    }

    private func checkIsEmpty(except isIgnored: (String) -> Bool = { _ in false }) throws(GatewayError) {
        guard try directory.files.entries().contains(where: { !isIgnored($0.name) }) else { return }
        throw GatewayError(
            "\(directory.path) is not empty, and nothing in it is replaced. Move it away, or name another directory with "
                + "--data-directory.")
    }

    /// Removes the contents, the mark last. If that fails, the mark stays.
    private func undo() {
        guard (try? mark.removeOthers()) != nil else { return }
        try? mark.remove()
    }
}
