import DocumentStore
import Foundation
package import Logging

/// The database of a data directory, and its loss.
package struct DirectoryDatabase: Sendable {
    static let name = "pushgate.sqlite"

    private let files: DataFolder
    private let key: GatewayKeyFile

    init(in files: DataFolder, of key: GatewayKeyFile) {
        self.files = files
        self.key = key
    }

    /// The path of the SQLite database.
    package var path: String { "\(files.path)/\(Self.name)" }

    private var logPath: String { path + "-wal" }

    /// The size of the database and its log in bytes; `nil` if there is neither.
    package var size: Int64? {
        let sizes = [path, logPath].compactMap { FileStatus(of: $0)?.size }
        return sizes.isEmpty ? nil : Int64(sizes.reduce(0, +))
    }

    /// Throws an error if a gateway has run on the directory and its database is gone. A start would make an empty one.
    package func check() throws(GatewayError) {
        if let loss { throw loss.error }
    }

    /// The problem of a directory with the key of a gateway and without its database; `nil` if that is not so.
    package var loss: DirectoryProblem? {
        guard FileManager.default.fileExists(atPath: key.path), !FileManager.default.fileExists(atPath: path) else {
            return nil
        }
        return DirectoryProblem(
            fact:
                "\(path) is missing, although a gateway has run on \(files.path): it was removed, or its disk is not "
                + "there",
            advice: "Restore a backup to a new directory with “pushgate restore”, or set store.url if the documents "
                + "are in PostgreSQL. To begin without documents, delete \(key.path), which makes every registration "
                + "token issued so far invalid.")
    }

    /// Logs that commits are lost, if the log of the database ends before them. The database must not be open.
    package func reportLostCommits(_ logger: Logger) {
        guard SQLiteEngine.hasLostCommits(path: path) else { return }
        logger.error(
            "found that the log of the database ends before its last commits, which are lost; restore a backup",
            metadata: ["log": "\(logPath)"])
    }
}
