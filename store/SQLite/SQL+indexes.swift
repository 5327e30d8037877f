/// The SQL of what indexes search by: values of fields, in columns `value1`, `value2`… of `documents`.
///
/// A column has the values of one field in the documents of one collection group, and of another in those of another; it
/// is NULL where a document has none. So as many columns, and as many indexes, as the group has that has most are enough
/// for all groups.
extension SQL {
    // MARK: Columns

    static func valueColumn(_ number: Int) -> String { "value\(number)" }

    static let selectValueColumns = "SELECT name FROM pragma_table_info('documents') WHERE name GLOB 'value[0-9]*'"

    static func addValueColumn(_ column: String) -> String { "ALTER TABLE documents ADD COLUMN \(column) ANY" }

    /// Sets the column for the documents of a group that are there.
    static func fillValues(_ slot: IndexSlot) -> String {
        // In a text that is no JSON `json_extract` fails.
        let value = "CASE WHEN json_valid(fields) THEN \(typedValue(slot.index.field, slot.index.type)) END"
        return "UPDATE documents SET \(slot.column) = \(value) \(ofGroup) AND \(value) IS NOT NULL"
    }

    static func clearValues(_ column: String) -> String {
        "UPDATE documents SET \(column) = NULL \(ofGroup) AND \(column) IS NOT NULL"
    }

    /// The databases are named for the indexes' sake, which begin with them.
    private static let ofGroup = "WHERE database IN (SELECT id FROM databases) AND collection = ?"

    /// The value of a field where it has the type, else NULL.
    static func typedValue(_ field: FieldPath, _ type: FieldIndex.ValueType) -> String {
        let names = field.segments.map { "\"\($0)\"" }.joined(separator: ".mapValue.fields.")
        return "json_extract(fields, \(quoted("$.\(names).\(type.rawValue)")))"
    }

    // MARK: Declarations

    /// The fields whose values the columns have. `collection` is a collection's id as in `documents`, `field` a
    /// ``FieldPath``'s description, `type` the name of a member of Firestore's JSON, `slot` the column's number.
    static let createFieldIndexes = """
        CREATE TABLE field_indexes (
            collection TEXT NOT NULL,
            field TEXT NOT NULL,
            type TEXT NOT NULL,
            slot INTEGER NOT NULL,
            PRIMARY KEY (collection, slot)
        ) STRICT
        """

    static let selectFieldIndexes = "SELECT collection, field, type, slot FROM field_indexes ORDER BY rowid"
    static let insertFieldIndex = "INSERT INTO field_indexes (collection, field, type, slot) VALUES (?, ?, ?, ?)"
    static let deleteFieldIndex = "DELETE FROM field_indexes WHERE collection = ? AND slot = ?"

    // MARK: Indexes

    static func valueIndex(_ column: String) -> String { "documents_by_\(column)" }

    static let selectValueIndexes = """
        SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND name GLOB 'documents_by_value[0-9]*'
        """

    /// In the order of the values, and of paths among equal ones.
    static func createValueIndex(_ column: String) -> String {
        """
        CREATE INDEX \(valueIndex(column)) ON documents (database, collection, \(column), path) \
        WHERE \(column) IS NOT NULL
        """
    }

    /// The indexes over expressions that files had before the columns.
    static let selectExpressionIndexes = """
        SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'documents' AND name LIKE 'field:%'
        """

    static func dropIndex(_ name: String) -> String { "DROP INDEX \(identifier(name))" }

    private static func quoted(_ text: String) -> String { "'\(doubling("'", in: text))'" }
    private static func identifier(_ text: String) -> String { "\"\(doubling("\"", in: text))\"" }

    private static func doubling(_ mark: Character, in text: String) -> String {
        text.split(separator: mark, omittingEmptySubsequences: false).joined(separator: "\(mark)\(mark)")
    }
}
