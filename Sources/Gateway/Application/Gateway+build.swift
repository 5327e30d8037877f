import Console
import DocumentStore
import FCMInterface
import FirestoreAPI
import Functions
import GRPC
import Hummingbird
import Instance
package import Logging
import Messaging
import RequestRules
import Server
import ServiceLifecycle
import Settings

extension Gateway {
    /// Assembles a gateway: storage, delivery, modules and endpoints.
    ///
    /// Nothing runs yet, but the data directory is created and locked, and the database is open.
    ///
    /// - Throws: `GatewayError` if the directory, database or a secret cannot be used; `ConfigurationError` if a
    ///   setting names a file that cannot be used.
    package static func build(
        _ configuration: GatewayConfiguration, logger: Logger, metrics: PrometheusRegistry = PrometheusRegistry()
    ) throws -> Gateway {
        let storage = try GatewayStorage(configuration, logger)
        let delivery = try GatewayDelivery(configuration, storage, logger)
        let troubles = DeviceTroubles(
            advice: { [table = delivery.table] in table.service($0)?.outcomes.requirement?.advice }, logger: logger)
        let modules = try configuration.modules.make(ModuleServices(storage, delivery, troubles, logger))
        let https = try HTTPSComponents(configuration.http.tls, storage.directory, logger)
        let originGuard = OriginGuard(
            policy: OriginPolicy(configuration, https?.certificates.names ?? []),
            clientAddress: ClientAddress(configuration.http, logger))
        let refusals = RefusalLog(clientAddress: originGuard.clientAddress, logger: logger)
        let firestore = FirestoreInterface(configuration, storage, originGuard, refusals, logger)
        let admin = AdminAuthentication(token: storage.adminToken)
        let readiness = Readiness(
            probe: StoreProbe(storage.store), space: storage.space, dispatcher: delivery.dispatcher,
            certificates: https?.certificates, troubles: troubles)
        let history = DeliveryHistory(store: storage.store, logger: logger)
        let explanations = Explanations(delivery.table)
        let sender = DirectSender(configuration, storage, delivery)
        let console = Console(
            services: ConsoleServices(
                gateway: GatewayConsole(
                    directory: storage.directory, delivery: delivery, readiness: readiness, space: storage.space,
                    files: https?.certificates),
                store: storage.store, documents: { await firestore.answer($0) }, history: history,
                explanations: explanations, sender: sender, dispatcher: delivery.dispatcher,
                inbox: delivery.inbox, scripts: delivery.scripts, modules: modules,
                devices: [.clientsOfFCM(storage.store)],
                sources: configuration.modules.sources + [FCMEndpoints.source, DirectSender.source],
                secrets: ConsoleSecrets(EnabledModules.available)),
            access: ConsoleAccess(
                adminToken: storage.adminToken, readToken: configuration.admin.readToken, originGuard: originGuard,
                now: { .now }),
            refusals: refusals)
        let router = router(admin, refusals) { open in
            firestore.add(to: open)
            open.add(middleware: FunctionEndpoints(modules, originGuard: originGuard, refusals: refusals))
            HealthEndpoint(key: storage.key).add(to: open)
            ReadinessEndpoint(readiness: readiness, admin: admin).add(to: open)
            console.add(to: open)
            MetricsEndpoint(
                registry: metrics, space: storage.space, dispatcher: delivery.dispatcher, admin: admin,
                originGuard: originGuard, allowedPeers: configuration.metrics.allowedPeers
            ).add(to: open)
            FCMEndpoints(
                configuration.fcm.interface, FCMServices(storage, delivery), tokens: storage.accessTokens,
                accountsIn: storage.directory, originGuard, refusals, logger
            ).add(to: open)
        } administration: { closed in
            InboxEndpoints(inbox: delivery.inbox).add(to: closed)
            EmulatorScriptEndpoints(scripts: delivery.scripts).add(to: closed)
            SentMessageEndpoints(sent: delivery.sent).add(to: closed)
            if let list = modules.lazy.compactMap(\.serverList).first { ServerEndpoints(list: list).add(to: closed) }
            BackupEndpoint(backups: storage.backups).add(to: closed)
            DeliveryEndpoints(history: history, explanations: explanations).add(to: closed)
            SendEndpoint(sender: sender).add(to: closed)
        }
        let scheduler = JobScheduler(
            jobs: [
                retention(configuration, storage.store), storage.backups?.job(keeping: configuration.backups.keep),
                registrationUpgrade(storage),
            ]
            .compactMap(\.self) + modules.flatMap(\.jobs),
            store: storage.store, logger: logger)
        let duties = ([scheduler] + modules.flatMap(\.duties)).map { Duty($0, storage.membership) }
        return Gateway(
            configuration, storage, delivery, services: modules.flatMap(\.services) + duties,
            responder: router.buildResponder(), grpc: firestore.grpc, messageMemory: firestore.memory,
            https: https, certificate: try certificate(configuration.fcm, storage.directory, logger),
            logger: logger)
    }

    private init(
        _ configuration: GatewayConfiguration, _ storage: GatewayStorage, _ delivery: GatewayDelivery,
        services: [any Service], responder: any HTTPResponder<GatewayRequestContext>, grpc: @escaping GRPCRouter,
        messageMemory: MessageMemory, https: HTTPSComponents?, certificate: ServerCertificate?, logger: Logger
    ) {
        self.configuration = configuration
        self.storage = storage
        self.delivery = delivery
        self.services = services
        self.responder = responder
        self.grpc = grpc
        self.messageMemory = messageMemory
        self.https = https
        self.certificate = certificate
        self.logger = logger
        addresses = Addresses(configuration, https)
        connections = OpenConnections(
            capacity: DescriptorLimit.current?.connections ?? .max, logger: logger)
    }

    /// Returns the router with every route of the gateway.
    ///
    /// - Parameters:
    ///   - open: adds the routes that check their callers themselves.
    ///   - administration: adds the routes that require the admin token.
    private static func router(
        _ admin: AdminAuthentication, _ refusals: RefusalLog, _ open: (Router<GatewayRequestContext>) -> Void,
        administration: (RouterGroup<GatewayRequestContext>) -> Void
    ) -> Router<GatewayRequestContext> {
        let router = Router(context: GatewayRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: ErrorMiddleware(refusals: refusals))
        open(router)
        administration(router.group().add(middleware: admin))
        return router
    }

    /// Returns the certificate to present over TLS, or `nil` if no port serves TLS.
    private static func certificate(
        _ configuration: FCMSection, _ directory: DataDirectory, _ logger: Logger
    ) throws -> ServerCertificate? {
        guard configuration.tlsPort != nil || configuration.proxyPort != nil else { return nil }
        let authority = try directory.authority.readOrCreate(for: GoogleHosts.certifiedNames)
        return try ServerCertificate(authority: authority, now: { .now }, logger: logger)
    }

    private static func retention(_ configuration: GatewayConfiguration, _ store: any DocumentStore) -> ScheduledJob {
        let retention = OutboxRetention(
            store: store, maximumAge: configuration.messages.retention,
            maximumBytesPerOwner: configuration.messages.maximumBytesPerOwner, now: { .now })
        return ScheduledJob(name: "messages-retention", interval: .seconds(5 * 60)) { try await retention.sweep() }
    }
}

extension Gateway {
    /// Returns the job that merges registrations of older versions. It finds something once, and again if a gateway of
    /// an older version has run since.
    private static func registrationUpgrade(_ storage: GatewayStorage) -> ScheduledJob {
        let upgrade = RegistrationUpgrade(
            store: storage.store, key: RegistrationTokenKey(storage.key.registrationTokens))
        return ScheduledJob(name: "registrations-device-tokens", interval: .seconds(7 * 24 * 60 * 60)) {
            try await upgrade.run()
        }
    }
}

extension ModuleServices {
    fileprivate init(
        _ storage: GatewayStorage, _ delivery: GatewayDelivery, _ troubles: DeviceTroubles, _ logger: Logger
    ) {
        self.init(
            store: storage.admitting, outbox: delivery.outbox, broadcaster: delivery.broadcaster,
            host: ModuleHost(
                version: GatewayVersion.current, isAppConfigured: delivery.sends,
                hasTransport: delivery.transports.has, forms: delivery.table.forms, files: storage.files,
                fetcher: { WebClient(maximumConnectionsPerHost: $0, logger: logger) },
                secret: storage.key.derived),
            troubles: troubles, isShared: storage.membership != nil, logger: logger)
    }
}

extension FCMServices {
    fileprivate init(_ storage: GatewayStorage, _ delivery: GatewayDelivery) {
        self.init(
            store: storage.admitting, resolver: RegistrationResolver(storage, delivery), table: delivery.table,
            transports: delivery.transports, outbox: delivery.outbox, broadcaster: delivery.broadcaster,
            scripts: delivery.scripts, sent: delivery.sent, isEmulator: delivery.isEmulator,
            isAppConfigured: delivery.isAppConfigured)
    }
}

extension Gateway.Addresses {
    fileprivate init(_ configuration: GatewayConfiguration, _ https: HTTPSComponents?) {
        self.init(
            https: configuration.http.tls.map { _ in ListeningAddress() },
            redirect: https?.redirect,
            tls: configuration.fcm.tlsPort.map { _ in ListeningAddress() },
            proxy: configuration.fcm.proxyPort.map { _ in ListeningAddress() })
    }
}
