import Texts

/// The name of a database, `projects/{project}/databases/{database}`. A document path is unique within one database.
public struct DatabaseID: Sendable {
    /// The id of the project.
    public let project: String
    /// The id of the database in the project, `(default)` unless stated otherwise.
    public let database: String

    /// Takes both ids as they are. Ids from outside are checked by ``init(checkedProject:database:)``.
    public init(project: String, database: String = "(default)") {
        self.project = project
        self.database = database
    }

    /// The database with the gateway's own documents.
    public static let gateway = DatabaseID(project: "pushgate")
}

extension DatabaseID {
    /// Makes the name of a database of ids from outside. Every interface and command uses this rule; the store itself
    /// also has the databases that earlier versions stored under other names.
    ///
    /// - Throws: `INVALID_ARGUMENT` unless both ids are 1 to 128 ASCII letters, digits, `-`, `_`, `.` and `:`. The
    ///   database may also be `(default)`.
    public init(checkedProject project: String, database: String = "(default)") throws(StoreError) {
        guard Self.isID(project) else { throw .invalid("A project id is \(Self.rule).") }
        guard database.hasSameBytes(as: "(default)") || Self.isID(database) else {
            throw .invalid("A database id is “(default)”, or \(Self.rule).")
        }
        self.init(project: project, database: database)
    }

    private static let longestID = 128
    private static let rule = "1 to \(longestID) ASCII letters, digits, “-”, “_”, “.” and “:”"

    private static func isID(_ text: String) -> Bool {
        (1...longestID).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_.:".utf8.contains($0) }
    }
}

extension DatabaseID: Hashable {
    /// Compares the bytes of the ids.
    public static func == (left: DatabaseID, right: DatabaseID) -> Bool {
        left.project.hasSameBytes(as: right.project) && left.database.hasSameBytes(as: right.database)
    }

    /// Hashes the bytes of the ids.
    public func hash(into hasher: inout Hasher) {
        project.hashBytes(into: &hasher)
        database.hashBytes(into: &hasher)
    }
}

extension DatabaseID: Comparable {
    /// Compares the bytes of the projects, then those of the databases.
    public static func < (left: DatabaseID, right: DatabaseID) -> Bool {
        left.project.hasSameBytes(as: right.project)
            ? left.database.precedesInBytes(right.database) : left.project.precedesInBytes(right.project)
    }
}

extension DatabaseID: CustomStringConvertible {
    /// The full name, `projects/{project}/databases/{database}`.
    public var description: String { "projects/\(project)/databases/\(database)" }
}
