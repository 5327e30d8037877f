import DocumentStore
import Functions
import Instance
import Messaging

extension EngineSettings {
    /// Collects the indexes of a gateway's documents.
    init(_ configuration: GatewayConfiguration) {
        let firestore = configuration.firestore
        self.init(
            fieldIndexes: Outbox.fieldIndexes + configuration.modules.types.flatMap { $0.fieldIndexes }
                + firestore.indexes,
            indexesFields: { database in firestore.automaticIndexes.contains { $0.covers(database) } })
    }
}
