import Foundation
import PostgreSQLStore
import TestBasics
package import Testing

/// The store of gateways in tests: SQLite, or PostgreSQL if `PUSHGATE_TEST_STORE` is `postgresql`.
package enum TestStore {
    /// `true` if the gateways of this test run keep their documents in PostgreSQL.
    package static let isPostgreSQL = ProcessInfo.processInfo.environment["PUSHGATE_TEST_STORE"] == "postgresql"

    /// `true` if these gateways are told of each other's commits; `PUSHGATE_TEST_NOTIFY=off` leaves them to their
    /// polls.
    private static let isNotifying = ProcessInfo.processInfo.environment["PUSHGATE_TEST_NOTIFY"] != "off"

    private static let urls = Urls()

    /// The connection strings of data directories: a gateway that starts again in a directory finds its documents.
    private actor Urls {
        private var all: [String: Task<String, any Error>] = [:]

        func url(for directory: String) async throws -> String {
            // A copy, with which a test stands in for a restart, belongs to the same documents.
            let directory = directory.hasSuffix("-restored") ? String(directory.dropLast("-restored".count)) : directory
            let task = all[directory] ?? Task { try await TestStore.emptyDatabase() }
            all[directory] = task
            return try await task.value
        }
    }

    /// A reason to skip a test about the files of SQLite.
    package static let needsFile: Comment = "it is about the file of SQLite"

    /// Returns a connection string for an empty database.
    package static func emptyDatabase() async throws -> String {
        try await PostgreSQLServer.emptySchema { url, sql in try PostgreSQLEngine.run(sql, at: url) }
    }

    /// Returns the settings that name the store of a data directory.
    static func settings(for directory: String) async throws -> [String: String] {
        guard isPostgreSQL else { return [:] }
        return [
            "store.url": try await urls.url(for: directory), "store.connections": "4", "store.notify": "\(isNotifying)",
        ]
    }
}
