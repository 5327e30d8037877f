import DocumentStore

/// The statements of the engine. Names in them are ``StoredName``s, and times microseconds since 1970.
///
/// They use no feature that only PostgreSQL has where a result depends on it: locks of rows, upserts and arrays.
enum ServerSQL {
    /// The tables. Paths compare by their bytes (`COLLATE "C"`), which is Firestore's order of names. `outcomes` has
    /// the results of the commits of transactions, as texts of a ``CommitOutcome``. Rows of `changes` without a path
    /// have lists of changes as ``PackedChanges``.
    static let schema = """
        CREATE TABLE databases (
            number bigint NOT NULL UNIQUE,
            project text COLLATE "C" NOT NULL,
            database text COLLATE "C" NOT NULL,
            last_commit bigint NOT NULL,
            last_change bigint NOT NULL,
            since bigint,
            indexed boolean NOT NULL,
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
        ) WITH (fillfactor = 80);
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
            updated_at bigint
        );
        CREATE INDEX changes_by_time ON changes (of_database, changed_at);
        CREATE INDEX changes_by_path ON changes (of_database, parent, document, changed_at) WHERE updated_at IS NOT NULL;
        CREATE TABLE entries (
            of_database bigint NOT NULL,
            scope text COLLATE "C" NOT NULL,
            field text COLLATE "C" NOT NULL,
            key bytea NOT NULL,
            parent text COLLATE "C" NOT NULL,
            document text COLLATE "C" NOT NULL,
            PRIMARY KEY (of_database, scope, field, key, parent, document)
        );
        CREATE TABLE field_indexes (
            collection text COLLATE "C" NOT NULL,
            field text COLLATE "C" NOT NULL,
            PRIMARY KEY (collection, field)
        );
        CREATE TABLE secrets (
            name text COLLATE "C" PRIMARY KEY,
            secret bytea NOT NULL
        );
        CREATE TABLE files (
            storage text COLLATE "C" NOT NULL,
            folder text COLLATE "C" NOT NULL,
            name text COLLATE "C" NOT NULL,
            piece bigint NOT NULL,
            bytes bytea NOT NULL,
            written_at bigint NOT NULL,
            PRIMARY KEY (storage, folder, name, piece)
        );
        CREATE TABLE members (
            name text COLLATE "C" PRIMARY KEY,
            number bigint NOT NULL,
            renewals bigint NOT NULL,
            has_left boolean NOT NULL
        );
        CREATE SEQUENCE member_numbers;
        \(listeners)
        CREATE TABLE outcomes (
            of_database bigint NOT NULL,
            transaction_id bytea NOT NULL,
            committed_at bigint NOT NULL,
            digest bytea NOT NULL,
            result text COLLATE "C" NOT NULL,
            PRIMARY KEY (of_database, transaction_id)
        );
        CREATE INDEX outcomes_by_time ON outcomes (of_database, committed_at);
        CREATE TABLE pushgate_schema (version bigint NOT NULL);
        INSERT INTO pushgate_schema VALUES (\(version));
        """

    /// The version of ``schema``. Builds before 0.1.0 also made version 1, an ``EarlierForm``.
    static let version: Int64 = 3

    /// The version without lists in `changes` and without the table `listeners`, which is otherwise the same.
    static let previousVersion: Int64 = 2

    /// Makes the tables of ``previousVersion`` those of ``version``.
    static let upgrade = "\(listeners) UPDATE pushgate_schema SET version = \(version);"

    private static let listeners = """
        CREATE TABLE listeners (
            sender text COLLATE "C" PRIMARY KEY,
            until bigint NOT NULL
        );
        """

    static let selectVersion = "SELECT version FROM pushgate_schema"

    static let selectSecret = "SELECT secret FROM secrets WHERE name = $1::text"

    static let insertSecret = """
        INSERT INTO secrets (name, secret) VALUES ($1::text, $2::bytea) ON CONFLICT (name) DO NOTHING
        """

    // MARK: Files

    private static let isOfFile = "storage = $1::text AND folder = $2::text AND name = $3::text"

    static let insertPiece = """
        INSERT INTO files (storage, folder, name, piece, bytes, written_at) \
        VALUES ($1::text, $2::text, $3::text, $4::bigint, $5::bytea, \(time))
        """

    static let deleteFile = "DELETE FROM files WHERE \(isOfFile)"

    static let deleteFolder = "DELETE FROM files WHERE storage = $1::text AND folder = $2::text"

    /// The pieces of a file from one number up to another, in order.
    static let selectPieces = """
        SELECT bytes FROM files WHERE \(isOfFile) AND piece >= $4::bigint AND piece < $5::bigint ORDER BY piece
        """

    /// The size of a file; NULL if there is none.
    static let selectSize = "SELECT sum(length(bytes))::bigint FROM files WHERE \(isOfFile)"

    static let selectFolders = "SELECT DISTINCT folder FROM files WHERE storage = $1::text ORDER BY folder"

    /// The files of a folder with their ages in microseconds.
    static let selectFiles = """
        SELECT name, \(time) - min(written_at) FROM files WHERE storage = $1::text AND folder = $2::text \
        GROUP BY name ORDER BY name
        """

    // MARK: Databases

    static let insertDatabase = """
        INSERT INTO databases (number, project, database, last_commit, last_change, since, indexed) \
        VALUES (nextval('database_numbers'), $1::text, $2::text, $3::bigint, $3::bigint, $4::bigint, $5::boolean) \
        ON CONFLICT (project, database) DO NOTHING
        """

    static let selectDatabase = """
        SELECT number, last_commit, last_change, since, indexed FROM databases \
        WHERE project = $1::text AND database = $2::text
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

    private static let time = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

    /// The present time, the number of declared indexes, the number of the member `$1`, and `true` if others than the
    /// sender `$2` wait for notices.
    static let selectNow = """
        SELECT \(time), (SELECT count(*) FROM field_indexes), (SELECT number FROM members WHERE name = $1::text), \
        EXISTS (SELECT FROM listeners WHERE sender <> $2::text AND until > \(time))
        """

    static let now = "SELECT \(time)"

    // MARK: Notices

    /// Adds an engine that waits for notices, or renews it. `$2` is the time in microseconds for which it counts.
    static let addListener = """
        INSERT INTO listeners (sender, until) VALUES ($1::text, \(time) + $2::bigint) \
        ON CONFLICT (sender) DO UPDATE SET until = excluded.until
        """

    /// Renews an engine that still counts.
    static let renewListener =
        "UPDATE listeners SET until = \(time) + $2::bigint WHERE sender = $1::text AND until > \(time)"

    static let removeListener = "DELETE FROM listeners WHERE sender = $1::text"

    static let removeOldListeners = "DELETE FROM listeners WHERE until < \(time)"

    // MARK: Members

    static let insertMember = """
        INSERT INTO members (name, number, renewals, has_left) \
        VALUES ($1::text, nextval('member_numbers'), 0, false) RETURNING number
        """

    /// Gives a member a new number, if there is one of this name.
    static let takeMember = """
        UPDATE members SET number = nextval('member_numbers'), renewals = 0, has_left = false WHERE name = $1::text \
        RETURNING number
        """

    static let selectMembers = "SELECT name, number, renewals, has_left FROM members"

    static let renewMember = "UPDATE members SET renewals = renewals + 1 WHERE name = $1::text AND number = $2::bigint"

    static let leave = "UPDATE members SET has_left = true WHERE name = $1::text AND number = $2::bigint"

    /// Removes a member that has not changed since it was seen.
    static let removeMember =
        "DELETE FROM members WHERE name = $1::text AND number = $2::bigint AND renewals = $3::bigint"

    /// A table whose rows belong to databases, with the columns that name a row.
    enum Table: String, CaseIterable {
        case documents = "of_database, parent, document"
        case entries = "of_database, scope, field, key, parent, document"
        case changes = "of_database, changed_at, parent, document"
        case outcomes = "of_database, transaction_id"
    }

    /// The numbers in a table that no database has. It jumps from one number to the next.
    static func selectDeadNumbers(_ table: Table) -> String {
        """
        WITH RECURSIVE numbers (number) AS ((SELECT min(of_database) FROM \(table)) UNION ALL \
        SELECT (SELECT min(of_database) FROM \(table) WHERE of_database > numbers.number) FROM numbers \
        WHERE numbers.number IS NOT NULL) SELECT number FROM numbers WHERE number IS NOT NULL \
        AND NOT EXISTS (SELECT FROM databases WHERE databases.number = numbers.number)
        """
    }

    /// The greatest number of rows that one statement deletes, so that commits do not wait for long.
    static let mostDeleted = 1_000

    /// Deletes some rows of a number; others may do so too.
    static func deleteRows(_ table: Table) -> String { delete(from: table, "") }

    static let deleteOldChanges = delete(from: .changes, " AND changed_at < $2::bigint")

    static let deleteOldOutcomes = delete(from: .outcomes, " AND committed_at < $2::bigint")

    private static func delete(from table: Table, _ condition: String) -> String {
        """
        DELETE FROM \(table) WHERE (\(table.rawValue)) IN (SELECT \(table.rawValue) FROM \(table) \
        WHERE of_database = $1::bigint\(condition) LIMIT \(mostDeleted) FOR UPDATE SKIP LOCKED)
        """
    }

    // MARK: Writing

    static let insert = """
        INSERT INTO documents (of_database, parent, document, collection, fields, created_at, updated_at) \
        SELECT $1::bigint, * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[])
        """

    /// Inserts documents, or replaces those that are there.
    static let upsert = """
        \(insert) ON CONFLICT (of_database, parent, document) DO UPDATE SET \
        fields = excluded.fields, created_at = excluded.created_at, updated_at = excluded.updated_at
        """

    static let update = """
        UPDATE documents SET fields = new.fields, created_at = new.created_at, updated_at = new.updated_at \
        FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[]) \
        AS new (parent, document, fields, created_at, updated_at) \
        WHERE of_database = $1::bigint AND documents.parent = new.parent AND documents.document = new.document
        """

    static let delete = """
        DELETE FROM documents USING unnest($2::text[], $3::text[]) AS gone (parent, document) \
        WHERE of_database = $1::bigint AND documents.parent = gone.parent AND documents.document = gone.document
        """

    static let insertNewEntries = """
        INSERT INTO entries (of_database, scope, field, key, parent, document) \
        SELECT $1::bigint, * FROM unnest($2::text[], $3::text[], $4::bytea[], $5::text[], $6::text[])
        """

    /// Inserts the entries that are missing.
    static let insertEntries = insertNewEntries + " ON CONFLICT DO NOTHING"

    static let deleteEntries = """
        DELETE FROM entries USING unnest($2::text[], $3::text[], $4::bytea[], $5::text[], $6::text[]) \
        AS gone (scope, field, key, parent, document) WHERE of_database = $1::bigint AND entries.scope = gone.scope \
        AND entries.field = gone.field AND entries.key = gone.key AND entries.parent = gone.parent \
        AND entries.document = gone.document
        """

    /// Deletes the entries of a document whose fields cannot be read. It reads all entries.
    static let deleteEntriesOfDocument = """
        DELETE FROM entries WHERE of_database = $1::bigint AND document = $3::text \
        AND (parent = $2::text OR parent = '' AND scope = $2::text)
        """

    static let insertChanges = """
        INSERT INTO changes (of_database, changed_at, parent, document, collection, token, fields, created_at, updated_at) \
        SELECT $1::bigint, changed_at, parent, document, collection, $2::bigint, fields, created_at, updated_at FROM unnest(\
        $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::bigint[]) \
        AS new (changed_at, parent, document, collection, fields, created_at, updated_at)
        """

    static let insertOutcomes = """
        INSERT INTO outcomes (of_database, transaction_id, committed_at, digest, result) \
        SELECT $1::bigint, * FROM unnest($2::bytea[], $3::bigint[], $4::bytea[], $5::text[])
        """

    static let selectOutcomes = """
        SELECT transaction_id, committed_at, digest, result FROM outcomes WHERE of_database = (\
        SELECT number FROM databases WHERE project = $1::text AND database = $2::text) \
        AND transaction_id = ANY ($3::bytea[])
        """

    static let selectToken = """
        SELECT 1 FROM changes WHERE of_database = (\
        SELECT number FROM databases WHERE project = $1::text AND database = $2::text) \
        AND changed_at > $3::bigint AND token = $4::bigint LIMIT 1
        """

    // MARK: Indexes

    static let selectFieldIndexes = "SELECT collection, field FROM field_indexes"

    static let insertFieldIndex = "INSERT INTO field_indexes (collection, field) VALUES ($1::text, $2::text)"

    /// Locks what a new database and a new index both need.
    static let lockSchema = selectVersion + " FOR UPDATE"

    /// Locks all databases, so that nobody commits until the transaction ends.
    static let lockDatabases = "SELECT number FROM databases ORDER BY number FOR UPDATE"

    static let setIndexed = "UPDATE databases SET indexed = $2::boolean WHERE number = $1::bigint"

    /// Deletes the entries of automatic indexes; `$2` and `$3` are the bounds of all others.
    static let deleteAutomaticEntries = """
        DELETE FROM entries WHERE of_database = $1::bigint AND NOT (scope >= $2::text AND scope < $3::text)
        """

    /// Some documents of a database after a path, in the order of the primary key.
    static let selectDocumentsToIndex = documentsToIndex("")

    /// The same, of one group of collections.
    static let selectGroupToIndex = documentsToIndex("collection = $5::text AND ")

    private static func documentsToIndex(_ condition: String) -> String {
        """
        SELECT parent, document, fields, created_at, updated_at FROM documents WHERE of_database = $1::bigint \
        AND \(condition)(parent, document) > ($2::text, $3::text) ORDER BY parent, document LIMIT $4::bigint
        """
    }

    static let selectIndexed = "SELECT project, database, indexed FROM databases"

    // MARK: Changes

    /// The number of rows of `changes` up to which a group reads what others have changed, each a list of some 1,600
    /// bytes or one document: all other commits wait meanwhile.
    static let mostChangedRows: Int32 = 64

    /// The documents that were changed after a time, up to another one, or the lists of ``PackedChanges``, in no order,
    /// with the times and the tokens of their rows.
    static let selectChangedPaths = """
        SELECT parent, document, CASE WHEN parent = '' THEN fields END, changed_at, token FROM changes \
        WHERE of_database = $1::bigint AND changed_at > $2::bigint AND changed_at <= $3::bigint \
        LIMIT \(mostChangedRows + 1)
        """

    /// A row if there is a change with a time and a token.
    static let selectChangeMark = """
        SELECT 1 FROM changes WHERE of_database = $1::bigint AND changed_at = $2::bigint AND token = $3::bigint LIMIT 1
        """

    /// The changes after a time, up to another one, with the document before and after each.
    static let selectChanges = """
        SELECT changed_at, parent, document, fields, created_at, updated_at FROM changes \
        WHERE of_database = $1::bigint AND changed_at > $2::bigint AND changed_at <= $3::bigint \
        ORDER BY changed_at, parent, document
        """
}
