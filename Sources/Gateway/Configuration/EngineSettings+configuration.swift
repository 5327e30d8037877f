import DocumentStore
import Functions
import Instance
import Messaging

extension EngineSettings {
    /// Collects the indexes of a gateway's documents.
    init(_ configuration: GatewayConfiguration) {
        let (firestore, modules) = (configuration.firestore, configuration.modules)
        let ofSubscriptions = BrowserSubscriptions.fieldIndexes(of: modules.registrationCollections)
        self.init(
            fieldIndexes: Outbox.fieldIndexes + ScheduledMessages.fieldIndexes + IdempotentRequests.fieldIndexes
                + CardChannels.fieldIndexes + Cards.fieldIndexes + ofSubscriptions
                + modules.types.flatMap { $0.fieldIndexes } + firestore.indexes,
            indexesFields: { database in firestore.automaticIndexes.contains { $0.covers(database) } })
    }
}
