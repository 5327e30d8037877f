import Console
import DocumentStore
import FCMInterface
import FirestoreAPI
import Functions
import GRPC
import Hummingbird
import Instance
import Logging
import Messaging
import RequestRules
import Server

/// The interfaces of a gateway: all routes for requests, and the methods for calls over gRPC.
struct GatewayInterfaces: Sendable {
    let responder: any HTTPResponder<GatewayRequestContext>
    let grpc: GRPCRouter
    /// The memory for large messages over gRPC.
    let messageMemory: MessageMemory

    init(
        _ configuration: GatewayConfiguration, _ storage: GatewayStorage, _ delivery: GatewayDelivery,
        _ systems: GatewaySystems, _ monitoring: GatewayMonitoring, _ https: HTTPSComponents?, _ logger: Logger
    ) {
        let checks = RequestChecks(
            configuration, adminToken: storage.adminToken, certifiedNames: https?.certificates.names ?? [], logger)
        let firestore = FirestoreInterface(configuration, storage, checks.originGuard, checks.refusals, logger)
        let sender = DirectSender(configuration, storage, delivery)
        let state = GatewayConsole(
            directory: storage.directory, delivery: delivery, readiness: monitoring.readiness, space: storage.space,
            files: https?.certificates, project: configuration.fcm.projectID, publicURL: configuration.http.publicURL)
        let diagnoses = Diagnoses(state, storage, systems, monitoring, sender)
        let console = Console(
            configuration, storage, state, systems, monitoring, firestore, sender, diagnoses, checks)
        let errors = ErrorMiddleware(refusals: checks.refusals, switchedOff: configuration.modules.switchedOff)

        // These find their requests by themselves, before the router looks for a route.
        let first = Router(context: GatewayRequestContext.self)
        let origins = configuration.webPush.allowedOrigins
        if !origins.isEmpty {
            first.add(
                middleware: PageAccess(
                    allowed: origins, calls: PageCalls(of: systems.modules, and: FCMEndpoints.pageCalls)))
        }
        first.add(middleware: errors)
        firestore.add(to: first)
        first.add(
            middleware: FunctionEndpoints(
                systems.modules, originGuard: checks.originGuard, refusals: checks.refusals))

        // These routes check their callers themselves.
        let router = Router(context: GatewayRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: errors)
        HealthEndpoint(key: storage.key).add(to: router)
        ReadinessEndpoint(readiness: monitoring.readiness, admin: checks.admin).add(to: router)
        ReceiptEndpoint(configuration, storage, delivery, checks, logger).add(to: router)
        console.add(to: router)
        MetricsEndpoint(
            registry: monitoring.metrics, space: storage.space, dispatcher: delivery.dispatcher, admin: checks.admin,
            originGuard: checks.originGuard, allowedPeers: configuration.metrics.allowedPeers
        ).add(to: router)
        FCMEndpoints(
            configuration.fcm.interface, FCMServices(configuration, storage, delivery, systems),
            tokens: storage.accessTokens, accountsIn: storage.directory,
            registrationsPerHour: configuration.webPush.newRegistrationsPerHourPerAddress, checks.originGuard,
            checks.refusals, logger
        ).add(to: router)

        // These require the admin token.
        let closed = router.group().add(middleware: checks.admin)
        InboxEndpoints(inbox: delivery.inbox).add(to: closed)
        EmulatorScriptEndpoints(scripts: delivery.scripts).add(to: closed)
        SentMessageEndpoints(sent: delivery.sent).add(to: closed)
        if let list = systems.modules.lazy.compactMap(\.serverList).first {
            ServerEndpoints(list: list).add(to: closed)
        }
        WebhookEndpoints(targets: delivery.webhooks.targets, sender: delivery.webhooks.sender).add(to: closed)
        ChannelEndpoints(
            channels: delivery.channels, store: storage.store,
            maximum: configuration.liveActivities.limits.channels
        ).add(to: closed)
        BackupEndpoint(backups: storage.backups).add(to: closed)
        KeyEndpoints(lists: systems.modules.compactMap(\.keyList)).add(to: closed)
        SendEndpoint(
            sender: sender,
            idempotency: IdempotentRequests(
                store: storage.admitting, isShared: storage.membership != nil, now: { .now })
        ).add(to: closed)
        DiagnosisEndpoint(diagnoses: diagnoses).add(to: closed)
        SubscriptionSurveyEndpoint(configuration, storage, delivery).add(to: closed)

        // These require the admin token, or a key that opens the deliveries.
        let readers = systems.modules.compactMap(\.deliveryReaders)
        let readable = router.group().add(middleware: ReaderAuthentication(admin: checks.admin, readers: readers))
        DeliveryEndpoints(
            history: monitoring.history, scheduled: delivery.scheduled, explanations: monitoring.explanations,
            dispatcher: delivery.dispatcher, admin: checks.admin,
            secretCollections: EnabledModules.secretCollections, now: { .now }
        ).add(to: readable)

        responder = first.middlewares.constructResponder(finalResponder: router.buildResponder())
        grpc = firestore.grpc
        messageMemory = firestore.memory
    }
}

extension SubscriptionSurveyEndpoint {
    fileprivate init(
        _ configuration: GatewayConfiguration, _ storage: GatewayStorage, _ delivery: GatewayDelivery
    ) {
        self.init(
            subscriptions: BrowserSubscriptions(configuration, delivery, in: storage.store), table: delivery.table,
            publicKey: delivery.webPushKey)
    }
}

extension FCMServices {
    fileprivate init(
        _ configuration: GatewayConfiguration, _ storage: GatewayStorage, _ delivery: GatewayDelivery,
        _ systems: GatewaySystems
    ) {
        self.init(
            store: storage.admitting, resolver: RegistrationResolver(storage, delivery), table: delivery.table,
            transports: delivery.transports, outbox: delivery.outbox, broadcaster: delivery.broadcaster,
            scripts: delivery.scripts, sent: delivery.sent, isEmulator: delivery.isEmulator,
            isShared: storage.membership != nil, isAppConfigured: delivery.isAppConfigured,
            subscriptions: BrowserSubscriptions(configuration, delivery, in: storage.admitting),
            webPushKey: delivery.webPushKey,
            deviceCredentials: systems.modules.lazy.compactMap(\.deviceCredentials).first)
    }
}
