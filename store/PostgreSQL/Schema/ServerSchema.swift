import DocumentStore

/// The tables of the engine, made by the first of the engines that start together.
enum ServerSchema {
    /// Makes the tables if they are missing.
    ///
    /// - Throws: `FAILED_PRECONDITION` if a newer version or a build before 0.1.0 made them.
    static func prepare(_ connection: Connection) throws {
        try make(connection)
        var version = try connection.run(ServerSQL.selectVersion).integer(0, 0)
        if version == ServerSQL.previousVersion {
            try upgrade(connection)
            version = ServerSQL.version
        }
        if let version { try check(version) }
    }

    private static func upgrade(_ connection: Connection) throws {
        try connection.inTransaction { connection in
            // Another engine may have done it meanwhile.
            let version = try connection.run(ServerSQL.lockSchema).integer(0, 0)
            if version == ServerSQL.previousVersion { try connection.run(script: ServerSQL.upgrade) }
        }
    }

    /// Makes the tables unless the last of them is there.
    private static func make(_ connection: Connection) throws {
        var attempts = Attempts()
        while try !connection.run("SELECT to_regclass('pushgate_schema') IS NOT NULL").isTrue(0, 0) {
            do {
                return try connection.run(script: "BEGIN; \(ServerSQL.schema) COMMIT")
            } catch let error as PostgreSQLError {
                try connection.run(script: "ROLLBACK")
                // Another engine may have made them at the same time. A session sees each table a moment later.
                guard attempts.wait() else { throw error }
            }
        }
    }

    private static func check(_ version: Int64) throws(StoreError) {
        guard version <= ServerSQL.version else {
            throw StoreError(
                .failedPrecondition,
                "the tables were made by a newer version (\(version)); run that version, or name another database")
        }
        guard version == ServerSQL.version else { throw EarlierForm.refusal(of: "the database has tables") }
    }
}
