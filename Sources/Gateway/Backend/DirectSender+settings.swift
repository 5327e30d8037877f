import Console
import DocumentStore
import Functions
import Instance
import Messaging

extension DirectSender {
    /// Sends to the registrations of FCM's interface and of all systems that are switched on.
    init(_ configuration: GatewayConfiguration, _ storage: GatewayStorage, _ delivery: GatewayDelivery) {
        self.init(
            store: storage.store, resolver: RegistrationResolver(storage, delivery),
            forms: [RegistrationResolver.registrationFields]
                + configuration.modules.types.map { $0.registrationFields },
            outbox: delivery.outbox, scheduled: delivery.scheduled, now: { .now },
            isAppConfigured: delivery.isAppConfigured)
    }
}
