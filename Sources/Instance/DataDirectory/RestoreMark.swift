import DocumentStore
import Foundation

/// The mark of a data directory to which a backup is restored: its database has another name from the beginning of a
/// restore to its end. It stays after a restore that was interrupted, and no gateway starts on a directory that has it.
package struct RestoreMark: Sendable {
    static let name = StoreBackup.unfinishedPath(of: DirectoryDatabase.name)

    private let folder: Folder

    init(in folder: Folder) { self.folder = folder }

    private var path: String { "\(folder.path)/\(Self.name)" }

    /// Throws an error if a restore to the directory was begun and has not ended.
    package func check() throws(GatewayError) {
        if let unfinished { throw unfinished.error }
    }

    /// The problem of a directory to which a restore was begun that has not ended; `nil` if there was none.
    package var unfinished: DirectoryProblem? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        return DirectoryProblem(
            fact: "a restore to \(folder.path) was begun and has not ended, so documents or files are missing",
            advice: "Repeat “pushgate restore” with the same backup and --data-directory \(folder.path), unless it "
                + "still runs.")
    }

    /// Creates the mark, or takes that of an interrupted restore.
    ///
    /// - Returns: The open mark, whose lock keeps out other processes.
    func locked() throws(SystemError) -> OpenFile {
        let access = FileAccess(in: folder.path, mode: 0o600)
        return try folder.open { directory, owners throws(SystemError) in
            let mark = try OpenFile(Self.name, in: directory, O_CREAT | O_RDWR, mode: 0o600, owners: owners)
            guard try mark.tryLock(), try directory.status(of: Self.name)?.isSame(as: mark.status()) == true else {
                throw SystemError(code: EBUSY, "another process restores a backup to it")
            }
            try mark.set(access)
            try mark.synchronize()
            try directory.synchronizeEntries()
            return mark
        }
    }

    /// Removes all contents of the directory but the mark.
    func removeOthers() throws(SystemError) { try folder.removeContents(except: Self.name) }

    /// Removes the mark.
    func remove() throws(GatewayError) { try AtomicFile(Self.name, in: folder).remove() }
}
