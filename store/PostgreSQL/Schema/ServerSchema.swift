import DocumentStore

/// The tables of the engine, made by the first of the engines that start together.
enum ServerSchema {
    /// Makes the tables if they are missing. ``ServerNameUpgrade`` changes those of an earlier version.
    ///
    /// - Throws: `FAILED_PRECONDITION` if a newer version made them.
    static func prepare(_ connection: Connection) throws {
        try make("pushgate_schema", with: ServerSQL.schema, connection)
        if let version = try connection.run(ServerSQL.selectVersion).integer(0, 0) { try check(version) }
        try make("outcomes", with: ServerSQL.outcomes, connection)
    }

    /// Makes tables unless the last of them is there.
    private static func make(_ table: String, with script: String, _ connection: Connection) throws {
        var attempts = Attempts()
        while try !connection.run("SELECT to_regclass('\(table)') IS NOT NULL").isTrue(0, 0) {
            do {
                return try connection.run(script: "BEGIN; \(script) COMMIT")
            } catch let error as PostgreSQLError {
                try connection.run(script: "ROLLBACK")
                // Another engine may have made them at the same time. A session sees each table a moment later.
                guard attempts.wait() else { throw error }
            }
        }
    }

    private static func check(_ version: Int64) throws(StoreError) {
        guard version > ServerSQL.version else { return }
        throw StoreError(
            .failedPrecondition,
            "the tables were made by a newer version (\(version)); run that version, or name another database")
    }
}
