package import DocumentStore
package import Logging
package import PostgreSQLStore

/// The indexes of a gateway's documents, with which their engines are opened.
package struct EngineSettings: Sendable {
    private let fieldIndexes: [FieldIndex]
    private let indexesFields: @Sendable (DatabaseID) -> Bool

    /// Collects the indexes.
    ///
    /// - Parameter indexesFields: Returns `true` for a database whose fields are all indexed.
    package init(fieldIndexes: [FieldIndex], indexesFields: @escaping @Sendable (DatabaseID) -> Bool) {
        self.fieldIndexes = fieldIndexes
        self.indexesFields = indexesFields
    }

    /// Opens the database of a data directory.
    package func engine(
        in directory: DataDirectory, resultLifetime: Duration? = nil, _ logger: Logger
    ) throws(GatewayError) -> SQLiteEngine {
        var settings = SQLiteStoreConfiguration(
            path: directory.database.path, fieldIndexes: fieldIndexes, indexesFields: indexesFields)
        // A deleted device token must be gone, so the gateway's own database keeps no earlier versions.
        settings.keepsVersions = { $0 != .gateway }
        settings.resultLifetime = resultLifetime ?? settings.resultLifetime
        do {
            return try SQLiteEngine(settings, logger: logger)
        } catch {
            throw GatewayError("cannot open the database \(directory.database.path): \(error.message)")
        }
    }

    /// Connects to a database on a PostgreSQL server.
    package func engine(
        on postgreSQL: PostgreSQLStoreConfiguration, _ logger: Logger
    ) throws(GatewayError) -> PostgreSQLEngine {
        var settings = postgreSQL
        settings.fieldIndexes = fieldIndexes
        settings.indexesFields = indexesFields
        settings.keepsVersions = { $0 != .gateway }
        do {
            return try PostgreSQLEngine(settings, logger: logger)
        } catch {
            throw GatewayError("cannot use the database of store.url: \(error.explanation)")
        }
    }
}
