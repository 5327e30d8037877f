import DocumentStore
import Functions
import Instance
import Messaging

extension GatewayConfiguration {
    /// The settings of the engines of the documents.
    var engines: EngineSettings { EngineSettings(fieldIndexes: fieldIndexes, indexesFields: indexesFields) }

    private var fieldIndexes: [FieldIndex] {
        Outbox.fieldIndexes + modules.types.flatMap { $0.fieldIndexes } + firestore.indexes
    }

    private var indexesFields: @Sendable (DatabaseID) -> Bool {
        { [firestore] database in firestore.automaticIndexes.contains { $0.covers(database) } }
    }
}
