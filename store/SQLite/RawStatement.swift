import GRDB
import GRDBSQLite

/// A prepared statement that is run on SQLite itself.
///
/// GRDB turns each argument and column into a value of its own, validates and observes: as much work again as SQLite's.
/// Elsewhere that is welcome; here it would halve the rate of commits, and of reading many documents. The connection stays
/// GRDB's, and so do its transactions.
struct RawStatement {
    private let statement: Statement
    private let handle: SQLiteStatement
    private let connection: SQLiteConnection?

    /// - Parameter sql: prepared once for the connection.
    init(_ sql: String, _ db: Database) throws {
        self.init(try db.cachedStatement(sql: sql), db)
    }

    /// - Parameter statement: with its arguments, if it has any.
    init(_ statement: Statement, _ db: Database) {
        self.statement = statement
        handle = statement.sqliteStatement
        connection = db.sqliteConnection
    }

    func bind(_ number: Int64, at index: CInt) {
        sqlite3_bind_int64(handle, index, number)
    }

    /// SQLite makes a copy of the text.
    func bind(_ text: String, at index: CInt) {
        var text = text
        text.withUTF8 { bind($0, at: index, Self.transient) }
    }

    /// Runs the statement with one more text, which SQLite reads where it is: documents are not copied.
    func execute(with text: String, at index: CInt) throws {
        var text = text
        try text.withUTF8 { bytes in
            bind(bytes, at: index, Self.borrowed)
            defer { sqlite3_bind_null(handle, index) }
            try execute()
        }
    }

    private func bind(_ text: UnsafeBufferPointer<UInt8>, at index: CInt, _ lifetime: sqlite3_destructor_type?) {
        _ = text.withMemoryRebound(to: CChar.self) { characters in
            sqlite3_bind_text(handle, index, characters.baseAddress, CInt(characters.count), lifetime)
        }
    }

    /// - Returns: whether there is a row to read.
    func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            let message = connection.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
            sqlite3_reset(handle)
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message, sql: statement.sql)
        }
    }

    /// Ends a read, or a change; until then the statement holds its snapshot.
    func reset() { sqlite3_reset(handle) }

    func execute() throws {
        defer { reset() }
        _ = try step()
    }

    func number(_ column: CInt) -> Int64 { sqlite3_column_int64(handle, column) }

    func text(_ column: CInt) -> String { String(decoding: bytes(column), as: UTF8.self) }

    /// A text in SQLite's own memory, until the next step.
    func bytes(_ column: CInt) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(
            start: sqlite3_column_text(handle, column), count: Int(sqlite3_column_bytes(handle, column)))
    }

    /// SQLITE_TRANSIENT (https://www.sqlite.org/c3ref/c_static.html), a macro that Swift cannot see.
    private static var transient: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    /// SQLITE_STATIC, another.
    private static var borrowed: sqlite3_destructor_type? { nil }
}
