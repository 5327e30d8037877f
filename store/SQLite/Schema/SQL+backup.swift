/// The tables that only backups have.
extension SQL {
    static let createBackup = """
        CREATE TABLE backup (made_at INTEGER NOT NULL, documents INTEGER NOT NULL, files INTEGER NOT NULL) STRICT
        """

    static let createBackupFiles = """
        CREATE TABLE backup_files (
          name TEXT PRIMARY KEY, mode INTEGER NOT NULL, contents BLOB NOT NULL
        ) STRICT
        """

    static let insertBackupFile = "INSERT INTO backup_files (name, mode, contents) VALUES (?, ?, ?)"

    /// Arguments: the time in microseconds since 1970.
    static let insertBackup = """
        INSERT INTO backup (made_at, documents, files)
        SELECT ?, (SELECT count(*) FROM documents), (SELECT count(*) FROM backup_files)
        """

    static let selectBackup = """
        SELECT made_at, documents, files, (SELECT count(*) FROM documents) AS counted_documents,
          (SELECT count(*) FROM backup_files) AS counted_files
        FROM backup
        """

    static let selectBackupFiles = "SELECT name, mode, contents FROM backup_files ORDER BY name"

    static let isBackup = "SELECT count(*) = 2 FROM sqlite_schema WHERE name IN ('backup', 'backup_files')"

    static let dropBackup = "DROP TABLE IF EXISTS backup; DROP TABLE IF EXISTS backup_files"

    /// The objects of a file but its indexes, and whether each is a table of its own. A virtual table has no root page.
    static let selectObjects = """
        SELECT type, name, type = 'table' AND rootpage > 0 FROM sqlite_schema
        WHERE type <> 'index'
        ORDER BY type, name
        """

    /// The tables that a file may have beside those of its documents: those of a backup, and of SQLite's own.
    static let otherTables: Set = ["backup", "backup_files", "sqlite_sequence", "sqlite_stat1", "sqlite_stat4"]
}
