import DocumentStore

/// The statements of the engine. Names in them are ``StoredName``s, and times microseconds since 1970.
///
/// They use no feature that only PostgreSQL has where a result depends on it: locks of rows, upserts and arrays.
enum ServerSQL {
    /// The tables. Paths compare by their bytes (`COLLATE "C"`), which is Firestore's order of names.
    static let schema = """
        CREATE TABLE databases (
            number bigint NOT NULL UNIQUE,
            project text COLLATE "C" NOT NULL,
            database text COLLATE "C" NOT NULL,
            last_commit bigint NOT NULL,
            last_change bigint NOT NULL,
            since bigint,
            PRIMARY KEY (project, database)
        );
        CREATE SEQUENCE database_numbers;
        CREATE TABLE documents (
            of_database bigint NOT NULL,
            parent text COLLATE "C" NOT NULL,
            document text COLLATE "C" NOT NULL,
            collection text COLLATE "C" NOT NULL,
            fields text COLLATE "C" NOT NULL,
            created_at bigint NOT NULL,
            updated_at bigint NOT NULL,
            PRIMARY KEY (of_database, parent, document)
        );
        CREATE INDEX documents_by_group ON documents (of_database, collection, parent, document);
        CREATE TABLE changes (
            of_database bigint NOT NULL,
            changed_at bigint NOT NULL,
            parent text COLLATE "C" NOT NULL,
            document text COLLATE "C" NOT NULL,
            collection text COLLATE "C" NOT NULL,
            token bigint NOT NULL,
            fields text COLLATE "C",
            created_at bigint,
            updated_at bigint,
            PRIMARY KEY (of_database, changed_at, parent, document)
        );
        CREATE INDEX changes_by_path ON changes (of_database, parent, document, changed_at);
        CREATE TABLE pushgate_schema (version bigint NOT NULL);
        INSERT INTO pushgate_schema VALUES (1);
        """

    /// The version of ``schema``.
    static let version: Int64 = 1

    static let selectVersion = "SELECT version FROM pushgate_schema"

    // MARK: Databases

    static let insertDatabase = """
        INSERT INTO databases (number, project, database, last_commit, last_change, since) \
        VALUES (nextval('database_numbers'), $1::text, $2::text, $3::bigint, $3::bigint, $4::bigint) \
        ON CONFLICT (project, database) DO NOTHING
        """

    static let selectDatabase = """
        SELECT number, last_commit, last_change, since FROM databases WHERE project = $1::text AND database = $2::text
        """

    /// Locks the row of a database, which makes this the only commit of the database until the transaction ends.
    static let lockDatabase = selectDatabase + " FOR UPDATE"

    /// The databases with documents, in the order of their names.
    static let selectDatabases = """
        SELECT project, database FROM databases WHERE EXISTS (SELECT FROM documents WHERE of_database = number) \
        ORDER BY project, database
        """

    static let selectCommits = "SELECT project, database, last_commit, number FROM databases"

    static let setCommit = """
        UPDATE databases SET last_commit = $3::bigint, last_change = $4::bigint, since = $5::bigint \
        WHERE project = $1::text AND database = $2::text
        """

    static let renumber = """
        UPDATE databases SET number = nextval('database_numbers'), last_commit = $3::bigint, last_change = $3::bigint, \
        since = $4::bigint WHERE project = $1::text AND database = $2::text RETURNING number
        """

    static let now = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

    /// Deletes rows of numbers that no database has.
    static let sweepDocuments = sweep("documents")
    static let sweepChanges = sweep("changes")

    private static func sweep(_ table: String) -> String {
        """
        DELETE FROM \(table) WHERE ctid IN (SELECT ctid FROM \(table) AS rows \
        WHERE NOT EXISTS (SELECT FROM databases WHERE number = rows.of_database) LIMIT $1::bigint \
        FOR UPDATE SKIP LOCKED)
        """
    }

    static let deleteOldChanges = """
        DELETE FROM changes WHERE ctid IN (SELECT ctid FROM changes \
        WHERE of_database = $1::bigint AND changed_at < $2::bigint LIMIT $3::bigint FOR UPDATE SKIP LOCKED)
        """

    // MARK: Writing

    static let upsert = """
        INSERT INTO documents (of_database, parent, document, collection, fields, created_at, updated_at) \
        SELECT $1::bigint, * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[]) \
        ON CONFLICT (of_database, parent, document) DO UPDATE SET \
        fields = excluded.fields, created_at = excluded.created_at, updated_at = excluded.updated_at
        """

    static let delete = """
        DELETE FROM documents USING unnest($2::text[], $3::text[]) AS gone (parent, document) \
        WHERE of_database = $1::bigint AND documents.parent = gone.parent AND documents.document = gone.document
        """

    static let insertChanges = """
        INSERT INTO changes (of_database, changed_at, parent, document, collection, token, fields, created_at, updated_at) \
        SELECT $1::bigint, changed_at, parent, document, collection, $2::bigint, fields, created_at, updated_at FROM unnest(\
        $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::bigint[]) \
        AS new (changed_at, parent, document, collection, fields, created_at, updated_at)
        """

    static let selectToken = """
        SELECT 1 FROM changes WHERE of_database = (\
        SELECT number FROM databases WHERE project = $1::text AND database = $2::text) \
        AND changed_at > $3::bigint AND token = $4::bigint LIMIT 1
        """

    // MARK: Changes

    /// The changes after a time, up to another one, with the document before and after each.
    static let selectChanges = """
        SELECT changed_at, parent, document, fields, created_at, updated_at FROM changes \
        WHERE of_database = $1::bigint AND changed_at > $2::bigint AND changed_at <= $3::bigint \
        ORDER BY changed_at, parent, document
        """
}
