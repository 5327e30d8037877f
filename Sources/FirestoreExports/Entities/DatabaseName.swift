import Texts

/// A database's project and id, and the prefix of its documents' names.
struct DatabaseName: Sendable {
    let project: String
    let database: String

    init(project: String, database: String) {
        self.project = project
        self.database = database
    }

    /// The text before the path in the names of the database's documents.
    var prefix: String { "projects/\(project)/databases/\(database)/documents/" }
}

extension DatabaseName: Equatable {
    /// Compares the bytes of the names.
    static func == (left: DatabaseName, right: DatabaseName) -> Bool {
        ExactText(left.prefix) == ExactText(right.prefix)
    }
}

/// The form of entities' keys.
extension DatabaseName {
    private static let defaultDatabase = "(default)"

    /// Reads the database of a key.
    ///
    /// - Parameters:
    ///   - app: the project, in most exports after a prefix such as `dev~` or `s~`.
    ///   - databaseID: the id; empty for the default database.
    init(app: String, databaseID: String) {
        project = app.firstIndex(of: "~").map { String(app[app.index(after: $0)...]) } ?? app
        database = databaseID.isEmpty ? Self.defaultDatabase : databaseID
    }

    /// The project with the prefix that the emulator writes.
    var app: String { "dev~\(project)" }

    /// The id; `nil` for the default database.
    var databaseID: String? { database == Self.defaultDatabase ? nil : database }
}
