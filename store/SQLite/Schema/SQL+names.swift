/// The SQL that brings names to the form of ``StoredName``.
extension SQL {
    /// `upgraded_name(name)`: the name, which has the form of ``EarlierName``, in that of ``StoredName``.
    static let upgradedName = "upgraded_name"

    /// A condition for the names that may have another form now.
    private static func isNumericOrEscaped(_ column: String) -> String {
        "(instr(\(column), '__id') OR instr(\(column), char(1, 2)) OR instr(\(column), char(1, 3)))"
    }

    /// A condition for the names that have another form now. The first part is the quicker one.
    private static func isEarlier(_ column: String) -> String {
        "(\(isNumericOrEscaped(column)) AND \(upgradedName)(\(column)) <> \(column))"
    }

    /// Returns 1 if a document has a name in the earlier form. Reads the index by path alone.
    static let hasEarlierNames = """
        SELECT EXISTS (SELECT 1 FROM documents WHERE \(isEarlier("parent")) OR \(isEarlier("document")))
        """

    /// Returns a statement for a table with the columns of a path.
    static func upgradeNames(_ table: String) -> String {
        """
        UPDATE \(table) SET parent = \(upgradedName)(parent), collection = \(upgradedName)(collection), \
        document = \(upgradedName)(document) WHERE \(isEarlier("parent")) OR \(isEarlier("document"))
        """
    }

    static let dropPathIndex = dropIndex("documents_by_path")

    /// The databases whose entries may name collections in the earlier form, or have keys of references to numeric ids.
    /// Such an id follows a slash, which no text of fields escapes.
    static let selectEarlierIndexed = """
        SELECT id FROM databases WHERE indexed AND EXISTS (SELECT 1 FROM documents \
        WHERE documents.database = databases.id AND (instr(fields, '/__id') OR \(isEarlier("parent"))))
        """

    /// Returns 1 if the documents of a group of collections may have references to numeric ids.
    static let hasNumericReferences = """
        SELECT EXISTS (SELECT 1 FROM documents WHERE database IN (SELECT id FROM databases) AND collection = ? \
        AND instr(fields, '/__id'))
        """
}
