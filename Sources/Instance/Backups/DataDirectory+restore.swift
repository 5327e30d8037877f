package import DocumentStore
import Foundation

/// Restoring a backup to a new data directory.
///
/// The database has another name, ``markName``, from the beginning of a restore to its end. It then gets its own name
/// in one step, after everything else is on the disk. Whatever interrupts a restore, the directory has either that
/// mark, with which no gateway starts on it, or all files and documents of the backup.
///
/// The files are written where they belong, and not in a folder beside the directory that is renamed at the end: the
/// directory may be a mounted disk, or be in one to which this user cannot write.
extension DataDirectory {
    /// The file that exists while a backup is restored, and after a restore that was interrupted.
    private static let markName = StoreBackup.unfinishedPath(of: databaseName)

    /// Throws an error if a restore to the directory was begun and has not ended.
    package func checkRestores() throws(GatewayError) {
        guard let problem = unfinishedRestore else { return }
        throw GatewayError("\(problem.fact). \(problem.advice)")
    }

    /// The problem of a directory to which a restore was begun that has not ended; `nil` if there was none.
    package var unfinishedRestore: (fact: String, advice: String)? {
        guard FileManager.default.fileExists(atPath: "\(path)/\(Self.markName)") else { return nil }
        return (
            "a restore to \(path) was begun and has not ended, so documents or files are missing",
            "Repeat “pushgate restore” with the same backup and --data-directory \(path), unless it still runs."
        )
    }

    /// Restores a backup to a new directory, or to one to which a restore was interrupted.
    ///
    /// - Throws: `GatewayError` if the directory has other contents, or if the backup is not whole. Nothing is left in
    ///   the directory then, and a directory that this call created is removed.
    package static func restoring(_ backup: StoreBackup, to path: String) throws(GatewayError) -> DataDirectory {
        let isNew = !FileManager.default.fileExists(atPath: path)
        let directory = try DataDirectory(creating: path)
        let mark = try directory.beginRestore()
        do {
            try backup.forEachFile(directory.restore)
            try backup.restoreDocuments(to: directory.databasePath)
            _ = consume mark
            return directory
        } catch {
            directory.undoRestore()
            if isNew { rmdir(path) }
            if let error = error as? GatewayError { throw error }
            throw GatewayError("cannot restore \(backup.path): \((error as? StoreError)?.message ?? "\(error)")")
        }
    }

    /// Creates the mark, and removes the contents that an interrupted restore has left.
    ///
    /// - Returns: The open mark, whose lock keeps out other processes.
    private func beginRestore() throws(GatewayError) -> OpenFile {
        let isInterrupted = unfinishedRestore != nil
        if !isInterrupted { try checkIsEmpty() }
        let mark = try reporting(lockedMark)
        do throws(GatewayError) {
            // Other processes may have begun to use the directory before they could see the mark.
            try checkIsEmpty { name in name == Self.markName || isInterrupted && name != Self.databaseName }
        } catch {
            if !isInterrupted { try? file(Self.markName).remove() }
            throw error
        }
        try reporting { () throws(SystemError) in try folder.removeContents(except: Self.markName) }
        return mark
    }

    private func reporting<Output: ~Copyable>(
        _ body: () throws(SystemError) -> Output
    ) throws(GatewayError) -> Output {
        do throws(SystemError) {
            return try body()
        } catch {
            throw GatewayError(cannot: "restore a backup to", path, error)
        }
    }

    private func lockedMark() throws(SystemError) -> OpenFile {
        let access = ownAccess(mode: 0o600)
        return try folder.open { directory, owners throws(SystemError) in
            let mark = try OpenFile(Self.markName, in: directory, O_CREAT | O_RDWR, mode: 0o600, owners: owners)
            guard try mark.tryLock(), try directory.status(of: Self.markName)?.isSame(as: mark.status()) == true else {
                throw SystemError(code: EBUSY, "another process restores a backup to it")
            }
            try mark.set(access)
            try mark.synchronize()
            try directory.synchronizeEntries()
            return mark
        }
    }

    private func checkIsEmpty(except isIgnored: (String) -> Bool = { _ in false }) throws(GatewayError) {
        guard try entries(of: folder).contains(where: { !isIgnored($0.name) }) else { return }
        throw GatewayError(
            "\(path) is not empty, and nothing in it is replaced. Move it away, or name another directory with "
                + "--data-directory.")
    }

    /// Removes the contents, the mark last. If that fails, the mark stays.
    private func undoRestore() {
        guard (try? folder.removeContents(except: Self.markName)) != nil else { return }
        try? file(Self.markName).remove()
    }

    private func restore(_ backup: BackupFile) throws(GatewayError) {
        let names = backup.name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard let name = names.last, names.count <= Self.maximumDepth, names.allSatisfy(Self.isPlain),
            isKept(names[0], isAtTop: true)
        else { throw GatewayError("the backup has a file with a name that no gateway uses. Nothing was restored.") }
        var parent = folder
        for name in names.dropLast() {
            try makeFolder(name, in: parent)
            parent = parent.folder(name)
        }
        try AtomicFile(name, in: parent).replace(with: backup.contents, access: ownAccess(mode: Self.mode(of: names)))
    }

    /// Returns the mode of a file of a gateway. The one in the backup is not used: the file would be as open as the
    /// backup says, whoever has written it.
    private static func mode(of names: [String]) -> mode_t { names == [certificateName] ? 0o644 : 0o600 }
}
