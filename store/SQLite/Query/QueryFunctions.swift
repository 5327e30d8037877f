import Foundation
import GRDB

/// The SQL functions for comparisons that SQLite's own cannot make as Firestore does. No schema contains them, so
/// that the file remains usable without them.
enum QueryFunctions {
    /// `sort_key(fields, field)`: the ``SortKey`` of the field's value; NULL if the document has no such field.
    static let sortKey = "sort_key"
    /// `array_has(fields, field, key)`: true if the field is an array with an element of that key.
    static let arrayHas = "array_has"

    static func register(in db: Database) {
        db.add(
            function: DatabaseFunction(sortKey, argumentCount: 2, pure: true) { arguments in
                try value(arguments).map { Data(SortKey($0).bytes) }
            })
        db.add(
            function: DatabaseFunction(arrayHas, argumentCount: 3, pure: true) { arguments in
                let key = Data.fromDatabaseValue(arguments[2])
                return try value(arguments)?.array?.contains { Data(SortKey($0).bytes) == key } ?? false
            })
    }

    /// Returns a field path as the argument of a function. It is escaped because C strings end at U+0000.
    static func argument(_ field: FieldPath) -> String { StoredString.escape(field.description) }

    private static func value(_ arguments: [DatabaseValue]) throws -> Value? {
        guard let json = String.fromDatabaseValue(arguments[0]), let field = String.fromDatabaseValue(arguments[1])
        else { return nil }
        return try FieldsDecoder.decode(json).value(at: FieldPath(parsing: StoredString.unescape(field)))
    }
}
