import DocumentStore

/// The tables of the engine, made by the first of the engines that start together.
enum ServerSchema {
    /// Makes the tables if they are missing.
    ///
    /// - Throws: `FAILED_PRECONDITION` if a newer version made them.
    static func prepare(_ connection: Connection) throws {
        var attempts = Attempts()
        while true {
            if let version = try version(connection) { return try check(version) }
            do {
                return try connection.run(script: "BEGIN; \(ServerSQL.schema) COMMIT")
            } catch let error as PostgreSQLError {
                try connection.run(script: "ROLLBACK")
                // Another engine may have made them at the same time. A session sees each table a moment later.
                guard attempts.wait() else { throw error }
            }
        }
    }

    /// Returns the version of the tables; `nil` if there are none.
    private static func version(_ connection: Connection) throws -> Int64? {
        guard try connection.run("SELECT to_regclass('pushgate_schema') IS NOT NULL").isTrue(0, 0) else { return nil }
        return try connection.run(ServerSQL.selectVersion).integer(0, 0)
    }

    private static func check(_ version: Int64) throws(StoreError) {
        guard version > ServerSQL.version else { return }
        throw StoreError(
            .failedPrecondition,
            "the tables were made by a newer version (\(version)); run that version, or name another database")
    }
}
