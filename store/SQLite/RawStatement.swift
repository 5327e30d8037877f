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

    /// Lends SQLite a text for the closure, which runs the statement and resets it: the text is not copied.
    func with<Answer>(_ text: String, at index: CInt, _ body: () throws -> Answer) rethrows -> Answer {
        var text = text
        return try text.withUTF8 { try with($0, at: index, body) }
    }

    /// As ``with(_:at:_:)-(String,_,_)``, of a text in UTF-8.
    func with<Answer>(_ text: [UInt8], at index: CInt, _ body: () throws -> Answer) rethrows -> Answer {
        try text.withUnsafeBufferPointer { try with($0, at: index, body) }
    }

    /// As ``with(_:at:_:)-(String,_,_)``, of UTF-8 in memory.
    func with<Answer>(
        _ text: UnsafeBufferPointer<UInt8>, at index: CInt, _ body: () throws -> Answer
    ) rethrows -> Answer {
        // Without a destructor it is SQLITE_STATIC (https://www.sqlite.org/c3ref/c_static.html): SQLite keeps the pointer.
        _ = text.withMemoryRebound(to: CChar.self) { characters in
            sqlite3_bind_text(handle, index, characters.baseAddress, CInt(characters.count), nil)
        }
        defer { sqlite3_bind_null(handle, index) }
        return try body()
    }

    /// Binds a number for the closure, which runs the statement and resets it.
    func with<Answer>(_ number: Int64, at index: CInt, _ body: () throws -> Answer) rethrows -> Answer {
        bind(number, at: index)
        defer { sqlite3_bind_null(handle, index) }
        return try body()
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

    /// The types in which SQLite keeps what the store writes; `nil` for others.
    enum Storage { case null, integer, text }

    func storage(_ column: CInt) -> Storage? {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_NULL: .null
        case SQLITE_INTEGER: .integer
        case SQLITE_TEXT: .text
        default: nil
        }
    }

    func number(_ column: CInt) -> Int64 { sqlite3_column_int64(handle, column) }

    func text(_ column: CInt) -> String { String(decoding: bytes(column), as: UTF8.self) }

    /// A text in SQLite's own memory, until the next step.
    func bytes(_ column: CInt) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(
            start: sqlite3_column_text(handle, column), count: Int(sqlite3_column_bytes(handle, column)))
    }
}
