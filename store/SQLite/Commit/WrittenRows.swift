import DequeModule
import GRDB
import GRDBSQLite

/// The rows that the last groups of commits have written, so that the next ones need not read them: a message is
/// accepted, and settled a moment later.
///
/// They are the present ones while nothing else commits. SQLite counts the commits that its connection has made or
/// seen.
struct WrittenRows: Sendable {
    private struct Key: Hashable, Sendable {
        /// The database's number.
        let database: Int64
        let path: DocumentPath
    }

    /// The greatest number of rows.
    private static let most = 512
    /// The size in bytes beyond which a row is not kept.
    private static let longest = 8_192

    /// The version of the file as the last group has left it; `nil` before the first.
    private var version: UInt32?
    private var rows: [Key: DocumentRow] = [:]
    /// The keys in the order in which rows are dropped. Those of documents that were deleted may be among them.
    private var order: Deque<Key> = []

    /// Returns the row of a document; `nil` if it is not known.
    func row(of path: DocumentPath, in database: Int64) -> DocumentRow? {
        rows.isEmpty ? nil : rows[Key(database: database, path: path)]
    }

    /// Keeps a row as a commit has left it.
    ///
    /// - Parameter row: the row; `nil` if the document was deleted.
    mutating func keep(_ row: DocumentRow?, of path: DocumentPath, in database: Int64) {
        let key = Key(database: database, path: path)
        guard let row = row.flatMap({ $0.document.json.count <= Self.longest ? $0 : nil }) else {
            rows[key] = nil
            return
        }
        if rows.updateValue(row, forKey: key) == nil { order.append(key) }
        while order.count > Self.most { rows[order.removeFirst()] = nil }
    }

    /// Removes and returns all of this.
    mutating func take() -> WrittenRows {
        defer { self = WrittenRows() }
        return self
    }

    /// Forgets the rows if anything else has committed since the last group. Call it at the beginning of a transaction
    /// that writes.
    mutating func begin(_ db: Database) {
        guard let version, version == db.fileVersion else { return self = WrittenRows() }
    }

    /// Call it after the transaction is committed.
    mutating func didCommit(_ db: Database) { version = db.fileVersion }
}

extension Database {
    /// A number that changes with each commit of this connection, and as soon as this connection sees one of another;
    /// `nil` if SQLite does not tell (https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html).
    fileprivate var fileVersion: UInt32? {
        var version: UInt32 = 0
        let code = sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_DATA_VERSION, &version)
        return code == SQLITE_OK ? version : nil
    }
}
