import GRDB
import GRDBSQLite
import Logging
import Synchronization

/// Copies the pages in the write-ahead log to the database file, on a connection and a thread of its own.
///
/// SQLite's automatic checkpoint runs in the commit that fills the log: that commit, and all that wait for the writer,
/// wait until up to 32 MiB are in the database file and on the disk. Here the writer copies only what was written
/// during the last copy.
///
/// SQLite before 3.51.3 loses transactions if the log starts over during a checkpoint of another connection
/// (https://www.sqlite.org/wal.html#walresetbug). The log starts over only if all of it has been copied. A copy starts
/// right after a commit, and no other checkpoint runs until it has ended, so at least that commit has not been copied
/// before its end.
final class Checkpointer: Sendable {
    private let queue: DatabaseQueue
    private let schedule = Mutex(CheckpointSchedule())
    /// The log's length after the last commit; 0 once that has been dealt with.
    private let frames = Atomic(0)
    private let length = Atomic(0)
    private let files: FileCheck
    private let logger: Logger

    /// - Parameter path: of a database in WAL mode that the writer has opened.
    init(path: String, _ files: FileCheck, logger: Logger) throws {
        queue = try DatabaseQueue(path: path, configuration: Connections.checkpointConfiguration)
        self.files = files
        self.logger = logger
    }

    /// Checks the files of the database. To be called on the writer, before each transaction and before its answers.
    ///
    /// - Throws: `UNAVAILABLE` if one of them is lost.
    func checkFiles(_ writer: Database) throws(StoreError) {
        try files.check(frames: length.load(ordering: .relaxed)) { readLength(writer) }
    }

    /// Asks SQLite for the length of the log, which another program may have emptied by a checkpoint.
    private func readLength(_ db: Database) -> Int? {
        // If the log was cut off, this fails: it reads the frames.
        guard let frames = try? db.checkpoint(.passive).walFrameCount else { return nil }
        length.store(frames, ordering: .relaxed)
        return frames
    }

    /// Takes the place of the automatic checkpoint on the writer's connection, which must be closed before this goes.
    func attach(to writer: Database) {
        sqlite3_wal_hook(writer.sqliteConnection, Self.noteLength, Unmanaged.passUnretained(self).toOpaque())
    }

    /// To be called on the writer, after a transaction. It has no effect unless the transaction was committed.
    func didWrite(_ writer: Database) {
        let length = frames.exchange(0, ordering: .relaxed)
        guard length > 0 else { return }
        switch schedule.withLock({ $0.committed(frames: length) }) {
        case .none: break
        case .copy: queue.asyncWriteWithoutTransaction { [self] db in copy(db) }
        case .finish: _ = checkpoint(writer)
        }
    }

    /// Waits for the copy that runs.
    func close() throws { try queue.close() }

    private func copy(_ db: Database) {
        let frames = checkpoint(db)
        syncFile(of: db)
        schedule.withLock { $0.copied(frames: frames) }
    }

    /// Copies as much as can be copied without waiting for readers or the writer.
    ///
    /// - Returns: the number of frames in the log that have been copied.
    private func checkpoint(_ db: Database) -> Int {
        do {
            return try db.checkpoint(.passive).checkpointedFrameCount
        } catch {
            // Nothing is lost: the log still has what was not copied, and a later checkpoint copies it.
            logger.debug("failed to copy the write-ahead log", metadata: ["error": "\(error)"])
            return 0
        }
    }

    /// Flushes the copied pages to the disk. SQLite itself does so only after the last page of the log, which the
    /// writer copies.
    private func syncFile(of db: Database) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let file
        else { return }
        // The writer's own flush, which has to succeed before the log starts over, reports the same error.
        _ = file.pointee.pMethods?.pointee.xSync?(file, SQLITE_SYNC_NORMAL)
    }

    /// SQLite's hook after each commit (https://www.sqlite.org/c3ref/wal_hook.html).
    private static let noteLength:
        @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, CInt) -> CInt = {
            context, _, _, frames in
            guard let context else { return SQLITE_OK }
            let checkpointer = Unmanaged<Checkpointer>.fromOpaque(context).takeUnretainedValue()
            checkpointer.frames.store(Int(frames), ordering: .relaxed)
            checkpointer.length.store(Int(frames), ordering: .relaxed)
            return SQLITE_OK
        }
}
