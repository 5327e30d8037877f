import DocumentStore
import Functions
import Instance
import Logging
import Messaging
import PostgreSQLStore

/// The engines of a gateway's documents, with the indexes and the databases of its settings.
extension GatewayStorage {
    static func engine(
        _ directory: DataDirectory, _ configuration: GatewayConfiguration, resultLifetime: Duration? = nil,
        _ logger: Logger
    ) throws(GatewayError) -> SQLiteEngine {
        var settings = SQLiteStoreConfiguration(
            path: directory.databasePath, fieldIndexes: configuration.fieldIndexes,
            indexesFields: configuration.indexesFields)
        // A deleted device token must be gone, so the gateway's own database keeps no earlier versions.
        settings.keepsVersions = { $0 != .gateway }
        settings.resultLifetime = resultLifetime ?? settings.resultLifetime
        do {
            return try SQLiteEngine(settings, logger: logger)
        } catch {
            throw GatewayError("cannot open the database \(directory.databasePath): \(error.message)")
        }
    }

    static func engine(
        _ postgreSQL: PostgreSQLStoreConfiguration, _ configuration: GatewayConfiguration, _ logger: Logger
    ) throws(GatewayError) -> PostgreSQLEngine {
        var settings = postgreSQL
        settings.fieldIndexes = configuration.fieldIndexes
        settings.indexesFields = configuration.indexesFields
        settings.keepsVersions = { $0 != .gateway }
        do {
            return try PostgreSQLEngine(settings, logger: logger)
        } catch {
            throw GatewayError("cannot use the database of store.url: \(error.explanation)")
        }
    }
}

extension GatewayConfiguration {
    fileprivate var fieldIndexes: [FieldIndex] {
        Outbox.fieldIndexes + modules.types.flatMap { $0.fieldIndexes } + firestore.indexes
    }

    fileprivate var indexesFields: @Sendable (DatabaseID) -> Bool {
        { [firestore] database in firestore.automaticIndexes.contains { $0.covers(database) } }
    }
}
