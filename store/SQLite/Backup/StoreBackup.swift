import DurableFiles
import Foundation
import GRDB

/// A file beside the documents in a backup.
public struct BackupFile: Hashable, Sendable {
    /// The name: path components with slashes between them.
    public let name: String
    /// The permissions, such as `0o600`.
    public let mode: Int
    /// The contents, at most 1 GB.
    public let contents: [UInt8]

    /// Checks nothing: restoring must check the name of a file from a backup.
    public init(name: String, mode: Int, contents: [UInt8]) {
        self.name = name
        self.mode = mode
        self.contents = contents
    }
}

/// A backup: one file, which is a SQLite database with a copy of all documents and with other files.
public struct StoreBackup: Sendable {
    /// Adds files to a backup, one after the other, by calling its argument.
    public typealias Files = @Sendable (_ add: (BackupFile) throws -> Void) throws -> Void

    /// A function that is called with the number of bytes of the database that are copied, and of all.
    package typealias Progress = @Sendable (_ done: Int, _ total: Int) -> Void

    /// The path of the file. Change it after moving the file.
    public var path: String
    /// The time of the state that the backup has.
    public let madeAt: Timestamp
    /// The number of documents.
    public let documentCount: Int
    /// The number of other files.
    public let fileCount: Int

    /// Reads a backup and checks that it is whole: SQLite's own check of the database, and the numbers of documents
    /// and files.
    ///
    /// - Throws: `FAILED_PRECONDITION` if the file is not a backup, or one of a newer version; `DATA_LOSS` if it is
    ///   damaged.
    public init(path: String) throws(StoreError) {
        do {
            var configuration = Configuration()
            configuration.readonly = true
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            let row = try queue.read { db in
                try Schema.check(db)
                try SchemaObjects.check(db)
                guard try Bool.fetchOne(db, sql: SQL.isBackup) == true else { throw Self.isNone }
                guard try String.fetchOne(db, sql: "PRAGMA integrity_check(1)") == "ok" else { throw Self.isDamaged }
                return try Row.fetchOne(db, sql: SQL.selectBackup)
            }
            guard let row, row["documents"] == row["counted_documents"] as Int,
                row["files"] == row["counted_files"] as Int
            else { throw Self.isDamaged }
            self.path = path
            madeAt = Timestamp(microseconds: row["made_at"])
            documentCount = row["documents"]
            fileCount = row["files"]
        } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
            throw Self.isNone
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            throw Self.isDamaged
        } catch {
            throw StoreError(wrapping: error)
        }
    }

    private static let isNone = StoreError(
        .failedPrecondition, "this is not a backup; name a file that “pushgate backup” wrote")
    private static let isDamaged = StoreError(.dataLoss, "the backup is damaged; use another one")

    /// Calls the closure with each file, ordered by name.
    public func forEachFile(_ body: (BackupFile) throws -> Void) throws {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        try queue.read { db in
            let rows = try Row.fetchCursor(db, sql: SQL.selectBackupFiles)
            while let row = try rows.next() {
                try body(BackupFile(name: row["name"], mode: row["mode"], contents: Array(row["contents"] as Data)))
            }
        }
    }

    /// Writes the documents to a new database file, which an engine can open.
    ///
    /// The file has its name, and is on the disk, when this method returns. Until then it has the name of
    /// ``unfinishedPath(of:)``, where a restore that was interrupted leaves it, and where it is replaced.
    ///
    /// - Throws: `ALREADY_EXISTS` if there is a file at the path.
    public func restoreDocuments(to path: String) throws(StoreError) {
        try restoreDocuments(to: path, progress: { _, _ in })
    }

    /// Writes the documents to a new database file as ``restoreDocuments(to:)`` does.
    package func restoreDocuments(to path: String, progress: @escaping Progress) throws(StoreError) {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw StoreError(.alreadyExists, "\(path) exists; restore to a new directory")
        }
        let unfinished = Self.unfinishedPath(of: path)
        do {
            let file = try DatabaseFile(path: unfinished)
            defer { file.release() }
            guard truncate(unfinished, 0) == 0 else { throw StoreError(cannotWrite: unfinished, errno) }
            try Self.copy(self.path, isReadOnly: true, to: unfinished, isCancelled: { false }, progress: progress) {
                db in
                try SchemaObjects.check(db)
                try db.execute(sql: SQL.dropBackup)
            }
            unlink(DatabaseFile.lockPath(of: unfinished))
            try DirectoryEntries.rename(unfinished, to: path)
        } catch let error as FileError {
            throw StoreError(cannotWrite: path, error.code)
        } catch {
            throw StoreError(wrapping: error)
        }
    }

    /// Returns the path of a database that is being restored.
    package static func unfinishedPath(of path: String) -> String { path + ".restoring" }
}

extension StoreBackup {
    /// Backs up a database file that no engine has open.
    ///
    /// - Throws: `UNAVAILABLE` if an engine has it open; `ALREADY_EXISTS` if there is a file at `path`. After any error
    ///   there is none that this call made.
    public static func make(of database: String, to path: String, files: Files) throws(StoreError) -> StoreBackup {
        try make(of: database, to: path, files: files, progress: { _, _ in })
    }

    /// Backs up a database file as ``make(of:to:files:)`` does.
    package static func make(
        of database: String, to path: String, files: Files, progress: @escaping Progress
    ) throws(StoreError) -> StoreBackup {
        let file = try DatabaseFile(path: database)
        defer { file.release() }
        // The log of the database may have to be recovered.
        return try make(
            of: database, isReadOnly: false, to: path, files: files, isCancelled: { false }, progress: progress)
    }

    fileprivate static func make(
        of database: String, isReadOnly: Bool, to path: String, files: Files, isCancelled: @escaping () -> Bool,
        progress: @escaping Progress = { _, _ in }
    ) throws(StoreError) -> StoreBackup {
        let now = Timestamp.now
        try create(path)
        do {
            try copy(database, isReadOnly: isReadOnly, to: path, isCancelled: isCancelled, progress: progress) { db in
                // A database that an earlier version restored may have them still, after a power cut.
                try db.execute(sql: SQL.dropBackup)
                try db.execute(sql: SQL.createBackup)
                try db.execute(sql: SQL.createBackupFiles)
                let insert = try db.makeStatement(sql: SQL.insertBackupFile)
                try files { try insert.execute(arguments: [$0.name, $0.mode, Data($0.contents)]) }
                try db.execute(sql: SQL.insertBackup, arguments: [now.microseconds])
            }
            return try StoreBackup(path: path)
        } catch {
            try? DirectoryEntries.remove(path)
            throw StoreError(wrapping: error)
        }
    }

    /// Creates the file, which nobody else may read while it is written.
    private static func create(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError(cannotWrite: path, errno) }
        close(descriptor)
    }

    /// The number of pages that are copied between two looks at the cancellation.
    private static let pagesPerStep: CInt = 2_048
    private static let pageBytes = 4_096

    /// Copies a database with SQLite's [backup API](https://www.sqlite.org/c3ref/backup_finish.html), and changes the
    /// copy. The transaction makes all steps see one state while others write. The copy is on the disk when this method
    /// returns.
    private static func copy(
        _ source: String, isReadOnly: Bool, to path: String, isCancelled: @escaping () -> Bool,
        progress: @escaping Progress, _ change: (Database) throws -> Void
    ) throws {
        var configuration = isReadOnly ? Connections.resultConfiguration : Connections.checkpointConfiguration
        configuration.label = "pushgate.store.backup"
        configuration.allowsUnsafeTransactions = true
        let from = try DatabaseQueue(path: source, configuration: configuration)
        defer { try? from.close() }
        try fill(path) { copy in
            try from.unsafeRead { db in
                try db.inReadTransaction {
                    _ = try Int.fetchOne(db, sql: "PRAGMA schema_version")
                    try db.backup(to: copy, pagesPerStep: pagesPerStep) { state in
                        if isCancelled() { throw StoreError.closed }
                        progress(state.completedPageCount * pageBytes, state.totalPageCount * pageBytes)
                    }
                }
            }
            // Without a log a backup is a single file. The engine turns it on again.
            try copy.execute(sql: journalInMemory)
            try copy.execute(sql: "PRAGMA secure_delete = ON")
            try copy.inTransaction {
                try change(copy)
                return .commit
            }
        }
        do {
            try DirectoryEntries.synchronize(file: path)
        } catch {
            throw StoreError(cannotWrite: path, error.code)
        }
    }

    /// A copy that is not finished is not used, so no journal on the disk has to restore an earlier state of it. A
    /// journal that was removed could come back after a power cut, and undo the last change
    /// (https://www.sqlite.org/pragma.html#pragma_journal_mode).
    private static let journalInMemory = "PRAGMA journal_mode = MEMORY"

    private static func fill(_ path: String, _ body: (Database) throws -> Void) throws {
        var configuration = Configuration()
        configuration.label = "pushgate.store.backup"
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { db in
            try db.execute(sql: journalInMemory)
            try db.execute(sql: "PRAGMA synchronous = FULL")
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        do {
            try queue.inDatabase(body)
        } catch {
            try? queue.close()
            throw error
        }
        try queue.close()
    }
}

extension StoreError {
    /// Creates the error of a file that cannot be created or written.
    fileprivate init(cannotWrite path: String, _ code: CInt) {
        self.init(
            code == EEXIST ? .alreadyExists : .unavailable, "cannot write \(path): \(String(cString: strerror(code)))")
    }
}

extension SQLiteEngine {
    /// Backs up all databases while commits go on. Closing the engine ends it with an error.
    ///
    /// - Parameters:
    ///   - path: The path of the new file. Only its owner can read it.
    ///   - files: The files to keep beside the documents. They are read after the documents.
    /// - Throws: `ALREADY_EXISTS` if there is a file at the path. After any error there is none that this call made.
    public func backUp(
        to path: String, files: @escaping StoreBackup.Files = { _ in }
    ) async throws(StoreError) -> StoreBackup {
        guard !isClosed else { throw .closed }
        let result = await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .utility).async { [self] in
                continuation.resume(
                    returning: Result { () throws(StoreError) in
                        try StoreBackup.make(
                            of: configuration.path, isReadOnly: true, to: path, files: files,
                            isCancelled: { self.isClosed })
                    })
            }
        }
        return try result.get()
    }
}
