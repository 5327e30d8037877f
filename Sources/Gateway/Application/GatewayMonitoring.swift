import Console
import DocumentStore
import Logging
import Messaging

/// The knowledge of a gateway about itself, for its operator and for monitors.
struct GatewayMonitoring: Sendable {
    let readiness: Readiness
    /// The outcomes of messages.
    let history: DeliveryHistory
    /// The meanings of the outcomes.
    let explanations: Explanations
    let metrics: PrometheusRegistry

    init(
        _ storage: GatewayStorage, _ delivery: GatewayDelivery, _ systems: GatewaySystems, _ https: HTTPSComponents?,
        _ metrics: PrometheusRegistry, _ logger: Logger
    ) {
        readiness = Readiness(
            probe: StoreProbe(storage.store), space: storage.space, dispatcher: delivery.dispatcher,
            certificates: https?.certificates, troubles: systems.troubles, channels: delivery.channels)
        history = DeliveryHistory(store: storage.store, logger: logger)
        explanations = Explanations(delivery.table, isEmulator: delivery.isEmulator)
        self.metrics = metrics
    }
}
