import DocumentStore
import Foundation
package import Logging

/// The database of a directory, and its loss.
extension DataDirectory {
    /// Throws an error if a gateway has run on this directory and its database is gone. A start would make an empty
    /// one.
    package func checkDatabase() throws(GatewayError) {
        guard let problem = missingDatabase else { return }
        throw GatewayError("\(problem.fact). \(problem.advice)")
    }

    /// The problem of a directory with the key of a gateway and without its database; `nil` if that is not so.
    package var missingDatabase: (fact: String, advice: String)? {
        let key = "\(path)/\(Self.gatewayKeyName)"
        guard FileManager.default.fileExists(atPath: key), !FileManager.default.fileExists(atPath: databasePath) else {
            return nil
        }
        return (
            "\(databasePath) is missing, although a gateway has run on \(path): it was removed, or its disk is not there",
            "Restore a backup to a new directory with “pushgate restore”, or set store.url if the documents are in "
                + "PostgreSQL. To begin without documents, delete \(key), which makes every registration token issued "
                + "so far invalid."
        )
    }

    /// Logs that commits are lost, if the log of the database ends before them. The database must not be open.
    package func reportLostCommits(_ logger: Logger) {
        guard SQLiteEngine.hasLostCommits(path: databasePath) else { return }
        logger.error(
            "found that the log of the database ends before its last commits, which are lost; restore a backup",
            metadata: ["log": "\(databasePath)-wal"])
    }
}
