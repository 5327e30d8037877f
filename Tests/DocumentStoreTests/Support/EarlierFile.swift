@testable import DocumentStore

/// A file in the format of versions with expression indexes.
enum EarlierFile {
    /// The file's indexes.
    static let indexes = [
        FieldIndex(collectionGroup: "messages", field: "acceptedAt", type: .timestamp),
        FieldIndex(collectionGroup: "chunks", field: "settledAt", type: .timestamp),
        FieldIndex(collectionGroup: "chunks", field: "queue", type: .string),
    ]

    static func write(to path: String) throws { _ = try SQLiteEngine.run(sql, onFile: path) }

    private static let sql = """
        PRAGMA journal_mode = WAL;
        PRAGMA application_id = 1346847060;
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
        INSERT INTO grdb_migrations VALUES ('1 documents');
        CREATE TABLE databases (
            id INTEGER PRIMARY KEY,
            project TEXT NOT NULL,
            database TEXT NOT NULL,
            UNIQUE (project, database)
        ) STRICT;
        CREATE TABLE clock (last_commit INTEGER NOT NULL) STRICT;
        CREATE TABLE documents (
            id INTEGER PRIMARY KEY,
            database INTEGER NOT NULL,
            parent TEXT NOT NULL,
            collection TEXT NOT NULL,
            document TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            fields TEXT NOT NULL,
            path TEXT NOT NULL AS (parent || char(1, 1) || document) VIRTUAL
        ) STRICT;
        CREATE UNIQUE INDEX documents_by_path ON documents (database, parent, document);
        CREATE INDEX documents_by_group ON documents (database, collection);
        CREATE INDEX "field:messages:acceptedAt:timestampValue" ON documents (database, \
        json_extract(fields, '$."acceptedAt".timestampValue'), path) WHERE collection = 'messages';
        CREATE INDEX "field:chunks:settledAt:timestampValue" ON documents (database, \
        json_extract(fields, '$."settledAt".timestampValue'), path) WHERE collection = 'chunks';
        CREATE INDEX "field:chunks:queue:stringValue" ON documents (database, \
        json_extract(fields, '$."queue".stringValue'), path) WHERE collection = 'chunks';
        INSERT INTO databases VALUES (1, 'pushgate', '(default)'), (2, 'other', '(default)');
        INSERT INTO clock VALUES (1714564800000003);
        INSERT INTO documents (database, parent, collection, document, created_at, updated_at, fields) VALUES
        (1, 'messages', 'messages', 'm1', 1714564800000001, 1714564800000001,
            '{"acceptedAt":{"timestampValue":"2024-05-01T12:00:00.000000Z"},"source":{"stringValue":"a"}}'),
        (1, 'messages' || char(1, 1) || 'm1' || char(1, 1) || 'chunks', 'chunks', '0',
            1714564800000001, 1714564800000002,
            '{"settled":{"integerValue":"1"},"settledAt":{"timestampValue":"2024-05-01T12:00:01.000000Z"}}'),
        (1, 'messages' || char(1, 1) || 'm1' || char(1, 1) || 'chunks', 'chunks', '1',
            1714564800000001, 1714564800000001,
            '{"queue":{"stringValue":"apns 2024-05-01T12:00:00.000000Z"}}'),
        (1, 'agents', 'agents', 'a1', 1714564800000003, 1714564800000003, '{"queue":{"stringValue":"no"}}'),
        (2, 'messages', 'messages', 'm2', 1714564800000003, 1714564800000003,
            '{"acceptedAt":{"timestampValue":"2024-05-01T11:00:00.000000Z"}}')
        """
}
