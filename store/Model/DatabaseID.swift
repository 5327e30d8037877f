/// The name of a database, `projects/{project}/databases/{database}`; a document path is unique within one.
public struct DatabaseID: Hashable, Sendable {
    public let project: String
    public let database: String

    public init(project: String, database: String = "(default)") {
        self.project = project
        self.database = database
    }

    /// Where the gateway keeps its own documents.
    public static let gateway = DatabaseID(project: "pushgate")
}

extension DatabaseID: CustomStringConvertible {
    public var description: String { "projects/\(project)/databases/\(database)" }
}
