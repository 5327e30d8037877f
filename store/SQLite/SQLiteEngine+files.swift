import Foundation
import GRDB

/// Questions about a file that no engine has open.
extension SQLiteEngine {
    /// Checks a file that no engine has open, with SQLite's own check.
    ///
    /// - Throws: `UNAVAILABLE` if it cannot be opened, or is open; `FAILED_PRECONDITION` if a newer version, a build
    ///   before 0.1.0 or another program wrote it; `DATA_LOSS` if it is damaged.
    public static func check(path: String) throws(StoreError) {
        let file = try DatabaseFile(path: path)
        defer { file.release() }
        do {
            let queue = try DatabaseQueue(path: path, configuration: Connections.checkpointConfiguration)
            defer { try? queue.close() }
            try queue.read { db in
                try Schema.check(db)
                guard try String.fetchOne(db, sql: "PRAGMA quick_check(1)") == "ok" else {
                    throw StoreError(.dataLoss, "the database file is damaged")
                }
            }
        } catch {
            throw StoreError(wrapping: error)
        }
    }

    /// Returns `true` if a file that no engine has open has a document of the gateway's own database.
    package static func contains(_ document: DocumentPath, file path: String) throws(StoreError) -> Bool {
        let file = try DatabaseFile(path: path)
        defer { file.release() }
        do {
            let queue = try DatabaseQueue(path: path, configuration: Connections.checkpointConfiguration)
            defer { try? queue.close() }
            return try queue.read { db in
                guard let row = try SQLStatements.row(of: .gateway, db) else { return false }
                return try DocumentLookup(db).document(RowKey(document), in: row.number) != nil
            }
        } catch {
            throw StoreError(wrapping: error)
        }
    }

    /// Returns `true` if commits of the file are lost, because somebody has removed its log or cut it off.
    ///
    /// Ask before an engine opens the file, which then goes on with the commits that are left. The file must not be
    /// open in this process.
    public static func hasLostCommits(path: String) -> Bool { (LogIndex(of: path)?.missingFrames ?? 0) > 0 }

    /// The version of the SQLite library.
    public static var libraryVersion: String {
        (try? DatabaseQueue().read { db in try String.fetchOne(db, sql: "SELECT sqlite_version()") }) ?? "unknown"
    }

    /// Returns `true` if opening the file changes its tables from those of an earlier version, which then cannot open
    /// it any more.
    public static func upgrades(path: String) throws(StoreError) -> Bool {
        try upgrades(path: path, to: Schema.migrator.migrations)
    }

    /// Returns the same for a version with other migrations.
    static func upgrades(path: String, to migrations: [String]) throws(StoreError) -> Bool {
        guard FileManager.default.fileExists(atPath: path) else { return false }
        let file = try DatabaseFile(path: path)
        defer { file.release() }
        do {
            let queue = try DatabaseQueue(path: path, configuration: Connections.checkpointConfiguration)
            defer { try? queue.close() }
            return try queue.read { db in try Schema.isOutdated(db, before: migrations) }
        } catch {
            throw StoreError(wrapping: error)
        }
    }
}
