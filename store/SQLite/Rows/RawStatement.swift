import GRDB
import GRDBSQLite

/// A prepared statement that runs directly on SQLite.
///
/// GRDB converts each argument and column to a value of its own, validates and observes, which takes as much work
/// again as SQLite's. Here this would halve the rate of commits and of reading many documents. The connection and its
/// transactions are still GRDB's.
///
/// Texts are bound and read with their length. GRDB's are C strings, which end at U+0000: it gets only ``StoredName``s
/// and ``StoredString``s, which do not contain it.
struct RawStatement {
    private let statement: Statement
    private let handle: SQLiteStatement
    private let connection: SQLiteConnection?

    /// Prepares a statement.
    ///
    /// - Parameter sql: prepared once for the connection.
    init(_ sql: String, _ db: Database) throws {
        self.init(try db.cachedStatement(sql: sql), db)
    }

    /// Wraps a prepared statement.
    ///
    /// - Parameter statement: with its arguments, if it has any.
    init(_ statement: Statement, _ db: Database) {
        self.statement = statement
        handle = statement.sqliteStatement
        connection = db.sqliteConnection
    }

    func bind(_ number: Int64, at index: CInt) {
        sqlite3_bind_int64(handle, index, number)
    }

    func bind(_ number: Int64?, at index: CInt) {
        if let number { bind(number, at: index) } else { sqlite3_bind_null(handle, index) }
    }

    /// Binds a text for the duration of the closure, which runs the statement and resets it. The text is not copied.
    func with<Answer>(_ text: String, at index: CInt, _ body: () throws -> Answer) rethrows -> Answer {
        var text = text
        return try text.withUTF8 { try with($0, at: index, body) }
    }

    /// Binds a text in UTF-8 as ``with(_:at:_:)-(String,_,_)`` does.
    func with<Answer>(_ text: [UInt8], at index: CInt, _ body: () throws -> Answer) rethrows -> Answer {
        try text.withUnsafeBufferPointer { try with($0, at: index, body) }
    }

    /// Binds UTF-8 in memory as ``with(_:at:_:)-(String,_,_)`` does.
    func with<Answer>(
        _ text: UnsafeBufferPointer<UInt8>, at index: CInt, _ body: () throws -> Answer
    ) rethrows -> Answer {
        // A missing destructor means SQLITE_STATIC (https://www.sqlite.org/c3ref/c_static.html): SQLite keeps the
        // pointer.
        _ = text.withMemoryRebound(to: CChar.self) { characters in
            sqlite3_bind_text(handle, index, characters.baseAddress, CInt(characters.count), nil)
        }
        defer { sqlite3_bind_null(handle, index) }
        return try body()
    }

    /// Binds a blob as ``with(_:at:_:)-(String,_,_)`` does a text.
    func with<Answer>(blob: [UInt8], at index: CInt, _ body: () throws -> Answer) rethrows -> Answer {
        try blob.withUnsafeBytes { bytes in
            _ = sqlite3_bind_blob(handle, index, bytes.baseAddress, CInt(bytes.count), nil)
            defer { sqlite3_bind_null(handle, index) }
            return try body()
        }
    }

    /// Binds a number for the duration of the closure, which runs the statement and resets it.
    func with<Answer>(_ number: Int64, at index: CInt, _ body: () throws -> Answer) rethrows -> Answer {
        bind(number, at: index)
        defer { sqlite3_bind_null(handle, index) }
        return try body()
    }

    /// Advances to the next row.
    ///
    /// - Returns: `true` if there is a row to read.
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

    /// Ends a read or a change. Before that, the statement holds its snapshot.
    func reset() { sqlite3_reset(handle) }

    func execute() throws {
        defer { reset() }
        _ = try step()
    }

    /// The types in which SQLite stores the store's values.
    enum Storage { case null, integer, text, blob }

    func storage(_ column: CInt) -> Storage? {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_NULL: .null
        case SQLITE_INTEGER: .integer
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        default: nil
        }
    }

    func blob(_ column: CInt) -> [UInt8] {
        Array(
            UnsafeRawBufferPointer(
                start: sqlite3_column_blob(handle, column), count: Int(sqlite3_column_bytes(handle, column))))
    }

    func number(_ column: CInt) -> Int64 { sqlite3_column_int64(handle, column) }

    func text(_ column: CInt) -> String { String(decoding: bytes(column), as: UTF8.self) }

    /// Returns a text in SQLite's own memory, valid until the next step.
    func bytes(_ column: CInt) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(
            start: sqlite3_column_text(handle, column), count: Int(sqlite3_column_bytes(handle, column)))
    }
}

extension RawStatement {
    /// Reads a column that contains values of one type, or the keys of values of all types for `nil`.
    func value(_ column: CInt, of type: FieldIndex.ValueType?) -> IndexedValue {
        switch (storage(column), type) {
        case (.null, _): .none
        case (.integer, .boolean): .boolean(number(column) != 0)
        case (.text, .timestamp): Timestamp(canonical: bytes(column)).map(IndexedValue.timestamp) ?? .foreign
        case (.text, .string): .text(text(column))
        case (.blob, nil): .key(blob(column))
        default: .foreign
        }
    }

    /// Binds values to successive parameters for the duration of the closure, which runs the statement and resets it.
    func with<Answer>(
        _ values: ArraySlice<IndexedValue>, at index: CInt, _ body: () throws -> Answer
    ) rethrows -> Answer {
        guard let value = values.first else { return try body() }
        return try with(value, at: index) { try with(values.dropFirst(), at: index + 1, body) }
    }

    private func with<Answer>(_ value: IndexedValue, at index: CInt, _ body: () throws -> Answer) rethrows -> Answer {
        switch value {
        case .none, .foreign: try body()
        case .boolean(let value): try with(value ? 1 : 0, at: index, body)
        case .timestamp(let value): try value.withText { try with($0, at: index, body) }
        case .text(let value): try with(value, at: index, body)
        case .key(let value): try with(blob: value, at: index, body)
        }
    }
}
