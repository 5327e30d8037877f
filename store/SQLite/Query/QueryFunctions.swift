import GRDB
import GRDBSQLite

/// The SQL functions for comparisons that SQLite's own cannot make as Firestore does. No schema contains them, so
/// that the file remains usable without them.
///
/// They are SQLite's own functions, not GRDB's, which copies each document before it calls one.
enum QueryFunctions {
    /// `sort_key(fields, field)`: the ``SortKey`` of the field's value; NULL if the document has no such field.
    static let sortKey = "sort_key"
    /// `readable_key(fields, field)`: the same, and NULL for fields that cannot be read.
    static let readableKey = "readable_key"
    /// `array_has(fields, field, key)`: true if the field is an array with an element of that key.
    static let arrayHas = "array_has"

    static func register(in db: Database) throws {
        try register(sortKey, argumentCount: 2, in: db) { context, _, arguments in
            FunctionCall(context, arguments).answer { value in
                .blob(SortKey(value).bytes)
            }
        }
        try register(readableKey, argumentCount: 2, in: db) { context, _, arguments in
            FunctionCall(context, arguments).answer(unreadable: nil) { value in
                .blob(SortKey(value).bytes)
            }
        }
        try register(arrayHas, argumentCount: 3, in: db) { context, _, arguments in
            let call = FunctionCall(context, arguments)
            call.answer { value in
                .boolean(value.array?.contains { call.isArgument(2, SortKey($0).bytes) } ?? false)
            }
        }
    }

    /// Returns a field path as the argument of a function. It is escaped because C strings end at U+0000.
    static func argument(_ field: FieldPath) -> String { StoredString.escape(field.description) }

    private typealias Function = @convention(c) (OpaquePointer?, CInt, UnsafeMutablePointer<OpaquePointer?>?) -> Void

    private static func register(
        _ name: String, argumentCount: CInt, in db: Database, _ function: Function
    ) throws {
        let code = sqlite3_create_function_v2(
            db.sqliteConnection, name, argumentCount, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil, function, nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }
}

/// A call of a function by SQLite, for one document.
private struct FunctionCall {
    enum Answer {
        case blob([UInt8])
        case boolean(Bool)
    }

    private let context: OpaquePointer?
    private let arguments: UnsafeMutablePointer<OpaquePointer?>?

    init(_ context: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>?) {
        self.context = context
        self.arguments = arguments
    }

    /// Answers with what the closure makes of the field's value; with NULL if there is none.
    ///
    /// - Parameter unreadable: the error for fields that cannot be read, which fails the statement; `nil` to answer
    ///   with NULL.
    func answer(
        unreadable: StaticString? = "the fields of a document cannot be read", _ answer: (Value) -> Answer
    ) {
        do {
            switch try value().map(answer) {
            case .blob(let bytes): sqlite3_result_blob(context, bytes, CInt(bytes.count), Self.copied)
            case .boolean(let value): sqlite3_result_int(context, value ? 1 : 0)
            case nil: sqlite3_result_null(context)
            }
        } catch {
            guard let unreadable else { return sqlite3_result_null(context) }
            sqlite3_result_error(context, "\(unreadable)", -1)
        }
    }

    /// Returns `true` if an argument is a blob of these bytes.
    func isArgument(_ index: Int, _ bytes: [UInt8]) -> Bool {
        let start = sqlite3_value_blob(arguments?[index])
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(arguments?[index])))
            .elementsEqual(bytes)
    }

    private func value() throws -> Value? {
        guard let text = sqlite3_value_text(arguments?[0]) else { return nil }
        let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(arguments?[0])))
        return try FieldsDecoder.value(at: try field(), in: bytes)
    }

    /// Returns the path in the second argument. SQLite keeps it while the argument stays the same
    /// (https://www.sqlite.org/c3ref/get_auxdata.html).
    private func field() throws -> FieldPath {
        if let kept = sqlite3_get_auxdata(context, 1) {
            return Unmanaged<ParsedField>.fromOpaque(kept).takeUnretainedValue().path
        }
        let text = sqlite3_value_text(arguments?[1]).map { String(cString: $0) } ?? ""
        let field = ParsedField(try FieldPath(parsing: StoredString.unescape(text)))
        sqlite3_set_auxdata(context, 1, Unmanaged.passRetained(field).toOpaque()) { kept in
            if let kept { Unmanaged<ParsedField>.fromOpaque(kept).release() }
        }
        return field.path
    }

    /// `SQLITE_TRANSIENT`, which is a cast that Swift does not import: SQLite copies the bytes.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}

private final class ParsedField {
    let path: FieldPath

    init(_ path: FieldPath) { self.path = path }
}
