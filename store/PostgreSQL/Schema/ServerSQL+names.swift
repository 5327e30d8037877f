/// The statements that bring names to the form of ``StoredName``.
extension ServerSQL {
    static let deleteMembers = "DELETE FROM members"

    /// The names that change, with the columns before and after it.
    static let createRenamed = """
        CREATE TABLE renamed (
            of_parent text COLLATE "C" NOT NULL,
            of_document text COLLATE "C" NOT NULL,
            parent text COLLATE "C" NOT NULL,
            document text COLLATE "C" NOT NULL,
            collection text COLLATE "C" NOT NULL,
            PRIMARY KEY (of_parent, of_document)
        )
        """

    static let dropRenamed = "DROP TABLE renamed"

    /// A condition for the names that may have another form now.
    private static func isNumericOrEscaped(_ column: String) -> String {
        "(strpos(\(column), '__id') > 0 OR \(isEscaped(column)))"
    }

    private static func isEscaped(_ column: String) -> String {
        "(strpos(\(column), chr(1) || chr(2)) > 0 OR strpos(\(column), chr(1) || chr(3)) > 0)"
    }

    private static let isPossible = "\(isNumericOrEscaped("parent")) OR \(isNumericOrEscaped("document"))"

    /// A cursor over the paths that may have another form now.
    static let declareNames = """
        DECLARE names NO SCROLL CURSOR FOR SELECT parent, document FROM documents WHERE \(isPossible) \
        UNION SELECT parent, document FROM changes WHERE \(isPossible)
        """

    static let fetchNames = "FETCH 1000 FROM names"

    static let closeNames = "CLOSE names"

    static let insertRenamed = """
        INSERT INTO renamed (of_parent, of_document, parent, document, collection) \
        SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
        """

    /// The planner knows nothing of a table in which rows have just been inserted.
    static let analyzeRenamed = "ANALYZE renamed"

    /// The beginning of no name. A new name can be the earlier one of a row that is not changed yet, so the rows get
    /// others first.
    private static let aside = "chr(1) || chr(9)"

    static let setAside = """
        UPDATE documents SET document = \(aside) || of_document FROM renamed \
        WHERE documents.parent = of_parent AND documents.document = of_document
        """

    static let renameDocuments = rename("documents", from: "\(aside) || of_document")

    static let renameChanges = rename("changes", from: "of_document")

    private static func rename(_ table: String, from document: String) -> String {
        """
        UPDATE \(table) SET parent = renamed.parent, document = renamed.document, collection = renamed.collection \
        FROM renamed WHERE \(table).parent = of_parent AND \(table).document = \(document)
        """
    }

    /// The databases with entries that may name documents in the earlier form, or have keys of references to numeric
    /// ids. Such an id follows a slash, which no text of fields escapes.
    static let selectEarlierEntries = """
        SELECT number FROM databases WHERE EXISTS (SELECT FROM entries WHERE of_database = number) \
        AND EXISTS (SELECT FROM documents WHERE of_database = number \
        AND (strpos(fields, '/__id') > 0 OR \(isPossible))) ORDER BY number
        """

    static let deleteEntriesOfDatabase = "DELETE FROM entries WHERE of_database = $1::bigint"

    static let deleteEarlierIndexes = "DELETE FROM field_indexes WHERE \(isEscaped("collection"))"

    static let setVersion = "UPDATE pushgate_schema SET version = $1::bigint"
}
