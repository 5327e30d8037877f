import APNs
import DocumentStore
import Functions
import Hummingbird
package import Logging
import Messaging
import Metrics

extension Gateway {
    /// Assembles a gateway: directory, store, transports, dispatcher, functions and endpoints.
    ///
    /// Nothing runs yet, but the data directory is created and locked, and the database is open.
    ///
    /// - Throws: `GatewayError` if the directory, database or a secret cannot be used; `ConfigurationError` if a
    ///   setting names a file that cannot be used.
    package static func build(
        _ configuration: GatewayConfiguration, logger: Logger, metrics: PrometheusRegistry = PrometheusRegistry()
    ) throws -> Gateway {
        let directory = try DataDirectory(creating: configuration.dataDirectory)
        if let mode = directory.openMode {
            logger.warning(
                "other users can read the data directory; run chmod 700 on it unless they should",
                metadata: ["directory": "\(directory.path)", "mode": "\(mode)"])
        }
        try directory.lock()
        let (token, isTokenNew) = try configuration.adminToken.map { ($0, false) } ?? directory.adminToken()
        let engine = try openStore(directory, configuration.modules, logger)
        let store = engine.store(for: .gateway)
        let space = diskSpace(configuration, directory, engine, logger)
        let admitting = AdmittingStore(base: store, space: space)
        let inbox = Inbox()
        let scripts = EmulatorScripts()
        let sent = SentMessages()
        let emulated = EmulatedTransport(
            inbox: inbox, scripts: scripts, rejection: APNsTransport.rejection, now: { .now })
        let apns = try configuration.apns.map { try APNsLink($0, configuration.modules, logger) }
        let relay = try configuration.fcm.relay.map { try RelayLink($0, logger) }
        let isEmulator = apns == nil && relay == nil
        let dispatcher = Dispatcher(
            store: store,
            transports: isEmulator
                ? TransportTable(everythingTo: emulated) : transports(apns, relay, emulated), logger: logger)
        let outbox = Outbox(
            store: admitting, dispatcher: dispatcher, defaultLifetime: configuration.messageLifetime, now: { .now })
        let broadcaster = Broadcaster(store: store, outbox: outbox, logger: logger)
        let key = try directory.gatewayKey()
        let isAppConfigured = isAppConfigured(apns)
        let originGuard = OriginGuard(
            policy: OriginPolicy(configuration), clientAddress: ClientAddress(configuration.http))
        let modules = try configuration.modules.make(
            services(
                directory, store: admitting, space, outbox, broadcaster, key, isAppConfigured: isAppConfigured, logger))
        let router = router(
            functions: FunctionEndpoints(modules, originGuard: originGuard),
            fcm: FCMEndpoints(
                configuration.fcm, store: admitting, outbox: outbox, broadcaster: broadcaster, scripts: scripts,
                sent: sent, key: key,
                accounts: ServiceAccounts(directory: directory, logger: logger), isEmulator: isEmulator,
                originGuard: originGuard, isAppConfigured: isAppConfigured),
            documents: DocumentEndpoints(store: store), inbox: InboxEndpoints(inbox: inbox),
            scripts: EmulatorScriptEndpoints(scripts: scripts), sent: SentMessageEndpoints(sent: sent),
            deliveries: DeliveryEndpoints(history: DeliveryHistory(store: store, logger: logger)),
            metrics: MetricsEndpoint(registry: metrics, space: space), adminToken: token)
        return Gateway(
            configuration: configuration, store: store, inbox: inbox, adminToken: token, isAdminTokenNew: isTokenNew,
            transportDescription: isEmulator ? emulated.description : description(of: apns, relay),
            systemNames: configuration.modules.types.map { $0.name },
            engine: engine, directory: directory, apns: apns, relay: relay, dispatcher: dispatcher,
            broadcaster: broadcaster,
            scheduler: JobScheduler(
                jobs: [retention(configuration, store)] + modules.flatMap(\.jobs), store: store, logger: logger),
            services: modules.flatMap(\.services), responder: router.buildResponder(),
            certificate: try certificate(configuration.fcm, directory, logger),
            addresses: Addresses(
                tls: configuration.fcm.tlsPort.map { _ in ListeningAddress() },
                proxy: configuration.fcm.proxyPort.map { _ in ListeningAddress() }),
            connections: OpenConnections(
                capacity: DescriptorLimit.current?.connections ?? .max, logger: logger), logger: logger)
    }

    /// The services that modules use.
    private static func services(
        _ directory: DataDirectory, store: any DocumentStore, _ space: DiskSpace, _ outbox: Outbox,
        _ broadcaster: Broadcaster, _ key: GatewayKey,
        isAppConfigured: @escaping @Sendable (_ bundleID: String) -> Bool, _ logger: Logger
    ) -> ModuleServices {
        ModuleServices(
            store: store, outbox: outbox, broadcaster: broadcaster, version: GatewayVersion.current, logger: logger,
            isAppConfigured: isAppConfigured,
            files: { AdmittingFiles(base: FolderFiles($0, in: directory), space: space) },
            fetcher: { WebClient(maximumConnectionsPerHost: $0, logger: logger) },
            secret: { key.derived(for: $0) })
    }

    /// Returns a description of the transports, for logs and the start banner.
    static func description(of apns: APNsLink?, _ relay: RelayLink?) -> String {
        [apns?.description, relay?.description].compactMap(\.self).joined(separator: "; ")
    }

    /// Returns a function that tells if the gateway sends for the app of a bundle id. Without APNs credentials it
    /// accepts every bundle id: no key exists that could send to a stranger's app.
    private static func isAppConfigured(_ apns: APNsLink?) -> @Sendable (_ bundleID: String) -> Bool {
        guard let transport = apns?.transport else { return { _ in true } }
        return { transport.sends(to: $0) }
    }

    private static func transports(
        _ apns: APNsLink?, _ relay: RelayLink?, _ emulated: EmulatedTransport
    ) -> TransportTable {
        var transports: [TransportName: any PushTransport] = [.emulated: emulated]
        transports[.apns] = apns?.transport
        transports[.fcm] = relay?.transport
        return TransportTable(transports)
    }

    /// Returns the certificate to present over TLS, or `nil` if no port serves TLS.
    private static func certificate(
        _ configuration: GatewayConfiguration.FCM, _ directory: DataDirectory, _ logger: Logger
    ) throws -> ServerCertificate? {
        guard configuration.tlsPort != nil || configuration.proxyPort != nil else { return nil }
        return try ServerCertificate(authority: try directory.certificateAuthority(), now: { .now }, logger: logger)
    }

    private static func retention(_ configuration: GatewayConfiguration, _ store: any DocumentStore) -> ScheduledJob {
        let retention = OutboxRetention(
            store: store, maximumAge: configuration.messageRetention,
            maximumBytesPerOwner: configuration.messageBytesPerOwner, now: { .now })
        return ScheduledJob(name: "messages-retention", interval: .seconds(5 * 60)) { try await retention.sweep() }
    }

    private static func diskSpace(
        _ configuration: GatewayConfiguration, _ directory: DataDirectory, _ engine: SQLiteEngine, _ logger: Logger
    ) -> DiskSpace {
        DiskSpace(
            reserve: SpaceReserve(minimumFree: configuration.minimumFreeBytes.map { Int64($0) }),
            space: { () throws(SystemError) in try FileSystemSpace(at: directory.path) },
            reusable: { engine.reusableBytes }, logger: logger)
    }

    private static func openStore(
        _ directory: DataDirectory, _ modules: EnabledModules, _ logger: Logger
    ) throws(GatewayError) -> SQLiteEngine {
        do {
            return try SQLiteEngine(
                path: directory.databasePath,
                fieldIndexes: Outbox.fieldIndexes + modules.types.flatMap { $0.fieldIndexes }, logger: logger)
        } catch {
            throw GatewayError("cannot open the database \(directory.databasePath): \(error.message)")
        }
    }

    /// Returns the router with every route of the gateway.
    private static func router(
        functions: FunctionEndpoints, fcm: FCMEndpoints, documents: DocumentEndpoints, inbox: InboxEndpoints,
        scripts: EmulatorScriptEndpoints, sent: SentMessageEndpoints,
        deliveries: DeliveryEndpoints, metrics: MetricsEndpoint, adminToken: RedactedString
    ) -> Router<GatewayRequestContext> {
        let router = Router(context: GatewayRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: ErrorMiddleware())
        router.add(middleware: functions)
        HomeEndpoint.add(to: router)
        HealthEndpoint.add(to: router)
        metrics.add(to: router)
        fcm.add(to: router)
        let admin = router.group().add(middleware: AdminAuthentication(token: adminToken))
        documents.add(to: admin)
        inbox.add(to: admin)
        scripts.add(to: admin)
        sent.add(to: admin)
        deliveries.add(to: admin)
        return router
    }
}
