import DocumentStore
import Functions
import Instance
import Logging
import Messaging

/// The systems of a gateway that are switched on.
struct GatewaySystems: Sendable {
    let modules: [any FunctionModule]
    /// The devices of the systems whose notifications cannot arrive.
    let troubles: DeviceTroubles

    init(
        _ configuration: GatewayConfiguration, _ storage: GatewayStorage, _ delivery: GatewayDelivery, _ logger: Logger
    ) throws {
        troubles = DeviceTroubles(
            advice: { [table = delivery.table] in table.service($0)?.outcomes.requirement?.advice }, logger: logger)
        modules = try configuration.modules.make(
            ModuleServices(configuration, storage, delivery, troubles, logger))
    }
}

extension ModuleServices {
    fileprivate init(
        _ configuration: GatewayConfiguration, _ storage: GatewayStorage, _ delivery: GatewayDelivery,
        _ troubles: DeviceTroubles, _ logger: Logger
    ) {
        self.init(
            store: storage.admitting, outbox: delivery.outbox, broadcaster: delivery.broadcaster,
            host: ModuleHost(
                version: GatewayVersion.current, isAppConfigured: delivery.sends,
                hasTransport: delivery.transports.has, reachesDevices: !delivery.isEmulator,
                forms: delivery.table.forms,
                subscriptionRefusal: delivery.refusal,
                registrationCollections: configuration.modules.registrationCollections, files: storage.files,
                fetcher: { WebClient(maximumConnectionsPerHost: $0, logger: logger) },
                secret: storage.key.derived, publicURL: configuration.http.publicURL,
                webPushKey: delivery.webPushKey),
            troubles: troubles, isShared: storage.membership != nil, logger: logger)
        cards = delivery.cards
        events = delivery.webhooks.recorder
        cache = storage.cache
    }
}
