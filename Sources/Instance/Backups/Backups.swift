package import DocumentStore
package import Functions
import Metrics
import Synchronization

/// The backups that a running gateway makes in its data directory, one at a time.
package final class Backups: Sendable {
    private let engine: SQLiteEngine
    private let directory: DataDirectory
    private let space: DiskSpace
    private let isBusy = Mutex(false)

    /// Creates the backups of an engine, which go to a directory as long as there is space.
    package init(of engine: SQLiteEngine, in directory: DataDirectory, _ space: DiskSpace) {
        self.engine = engine
        self.directory = directory
        self.space = space
    }

    /// Makes a backup, and removes the older ones of its kind.
    ///
    /// - Parameter count: The number of backups of the kind to keep.
    /// - Throws: `UNAVAILABLE` while another backup is made; `RESOURCE_EXHAUSTED` if the disk has no space for it.
    package func make(_ kind: BackupFolder.Kind, keeping count: Int) async throws -> StoreBackup {
        try begin()
        defer { isBusy.withLock { $0 = false } }
        do {
            try space.admit(fileOf: directory.database.size ?? 0)
            let (folder, files) = (BackupFolder(of: directory), KeptFiles(of: directory))
            let unfinished = try folder.begin(kind)
            let backup = try unfinished.finish(
                await engine.backUp(to: unfinished.path) { add in try files.forEach(add) })
            try folder.keep(count, of: kind)
            record(kind, "ok")
            return backup
        } catch {
            record(kind, "failed")
            throw error
        }
    }

    private func begin() throws(StoreError) {
        let wasBusy = isBusy.withLock { isBusy in
            defer { isBusy = true }
            return isBusy
        }
        if wasBusy { throw StoreError(.aborted, "another backup is being made; try again when it is done") }
    }

    private func record(_ kind: BackupFolder.Kind, _ outcome: String) {
        Counter(label: "pushgate_backups_total", dimensions: [("kind", kind.rawValue), ("outcome", outcome)])
            .increment()
    }

    /// Returns the daily job that keeps the given number of backups; `nil` for none.
    package func job(keeping count: Int) -> ScheduledJob? {
        guard count > 0 else { return nil }
        return ScheduledJob(name: "backups", interval: .seconds(24 * 60 * 60)) { [self] in
            _ = try await make(.daily, keeping: count)
        }
    }
}
