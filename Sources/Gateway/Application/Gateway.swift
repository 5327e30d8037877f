package import DocumentStore
package import Emulator
import Functions
package import GRPC
import Instance
package import Logging
import Messaging
package import Secrets
import ServiceLifecycle
package import Settings

/// A gateway, assembled and ready to run.
package struct Gateway: Service, CustomStringConvertible {
    /// The name alone: the library that runs services logs this text, and the configuration is not for the log.
    package var description: String { "Gateway" }

    /// The configuration that the gateway was built with.
    package let configuration: GatewayConfiguration
    let storage: GatewayStorage
    let delivery: GatewayDelivery
    private let background: GatewayBackground
    /// The certificates of the HTTPS port; `nil` if there is no such port.
    private let https: HTTPSComponents?
    private var server: GatewayServer
    private let logger: Logger

    /// Assembles a gateway. Each part gets those before it that it needs, and keeps what it made of them.
    ///
    /// Nothing runs yet, but the data directory is created and locked, and the database is open.
    ///
    /// - Throws: `GatewayError` if the directory, database or a secret cannot be used; `ConfigurationError` if a
    ///   setting names a file that cannot be used.
    package static func build(
        _ configuration: GatewayConfiguration, logger: Logger, metrics: PrometheusRegistry = PrometheusRegistry()
    ) throws -> Gateway {
        let storage = try GatewayStorage(configuration, logger)
        do {
            return try build(configuration, on: storage, logger, metrics)
        } catch {
            storage.newDirectory?.remove()
            throw error
        }
    }

    private static func build(
        _ configuration: GatewayConfiguration, on storage: GatewayStorage, _ logger: Logger,
        _ metrics: PrometheusRegistry
    ) throws -> Gateway {
        let delivery = try GatewayDelivery(configuration, storage, logger)
        let systems = try GatewaySystems(configuration, storage, delivery, logger)
        let https = try HTTPSComponents(configuration.http.tls, storage.directory, logger)
        let monitoring = GatewayMonitoring(storage, delivery, systems, https, metrics, logger)
        let interfaces = GatewayInterfaces(configuration, storage, delivery, systems, monitoring, https, logger)
        let background = GatewayBackground(configuration, storage, delivery, systems, logger)
        let server = try GatewayServer(configuration, to: interfaces, https, in: storage.directory, logger)
        return Gateway(
            configuration: configuration, storage: storage, delivery: delivery, background: background, https: https,
            server: server, logger: logger)
    }

    /// Serves until the surrounding service group shuts down. The shutdown first stops accepting requests, then
    /// finishes the work in progress, then closes the store.
    ///
    /// - Throws: `GatewayError` if a port cannot be opened or a service fails.
    package func run() async throws {
        let renewal: [any Service] = [https?.automatic].compactMap(\.self)
        let watch: [any Service] = [
            storage.membership.map { MembershipWatch(membership: $0) as any Service },
            storage.engine.watchedFiles.map { DatabaseWatch($0) as any Service },
        ].compactMap(\.self)
        let sending: [any Service] = [
            OutcomeRecorder(of: delivery.dispatcher, store: storage.store, logger: logger), delivery.dispatcher,
            delivery.broadcaster, delivery.takeover, Duty(delivery.scheduled, storage.membership),
            Duty(delivery.channels, storage.membership), Duty(delivery.cards, storage.membership),
        ]
        let serving: [any Service] = [server.listeners]
        let services = sending + delivery.webhooks.services + background.services + serving + renewal + watch
        let group = ServiceGroup(configuration: .init(services: services, logger: quietLogger))
        do {
            try await CopyProgress.check(storage.engine)
            try await refuseEarlierChunks()
            await delivery.webhooks.begin()
            await SubscriptionKeyCheck(configuration, storage, delivery, logger)?.run()
            try await group.run()
        } catch {
            await close()
            throw GatewayError(startFailure: error)
        }
        await close()
    }

    private func refuseEarlierChunks() async throws(GatewayError) {
        do {
            try await EarlierChunks.refuse(in: storage.store)
        } catch {
            throw GatewayError("cannot use the database: \(error.explanation)")
        }
    }

    private func close() async {
        server.close()
        for service in delivery.services { await service.shutdown() }
        await delivery.webhooks.shutdown()
        await storage.engine.close()
        guard await server.hasServed else {
            storage.newDirectory?.remove()
            return
        }
        if storage.engine.watchedFiles?.hasLostFiles == true {
            logger.critical("stopped; the database is lost, and messages accepted before are lost with it")
        } else {
            logger.info("stopped; everything accepted is on disk")
        }
    }

    /// The methods that all ports offer over gRPC.
    package var grpc: GRPCRouter {
        get { server.grpc }
        set { server.grpc = newValue }
    }
    /// The gateway's own documents.
    package var store: any DocumentStore { storage.store }
    /// The messages that emulated devices received.
    package var inbox: Inbox { delivery.inbox }
    /// The token that requests to the administrative endpoints must carry.
    package var adminToken: RedactedString { storage.adminToken }
    /// `true` if the admin token was created at this start, so that no user has seen it yet.
    package var isAdminTokenNew: Bool { storage.isAdminTokenNew }
    /// `true` if no notification leaves the gateway, because it has no credentials for a push service.
    package var isEmulator: Bool { delivery.isEmulator }
    /// A description of the transports, for logs and the start banner.
    package var transportDescription: String { delivery.description }
    /// The names for which the HTTPS port has no certificate yet.
    package var missingCertificates: [String] { https?.certificates.missingNames ?? [] }
    /// The names of the systems that are switched on, for the start banner.
    package var systemNames: [String] { configuration.modules.types.map { $0.name } }

    /// Waits until the gateway listens, then returns its URL, for example `http://127.0.0.1:8080`; `nil` if it ended
    /// before that.
    package func url() async -> String? { await server.url }

    /// Waits until the gateway listens, then returns the URLs of all ports; `nil` if it ended before that.
    package func listening() async -> GatewayAddresses? { await server.listening() }

    /// Returns the value of `FIRESTORE_EMULATOR_HOST` for programs on this machine, for example `127.0.0.1:8080`; `nil`
    /// if the gateway does not serve Firestore's interface.
    package func firestoreHost(at addresses: GatewayAddresses) -> String? {
        guard configuration.servesFirestore, let port = addresses.http.split(separator: ":").last else { return nil }
        guard let host = GatewayAddresses.loopback(insteadOf: configuration.http.host) else {
            return String(addresses.http.trimmingPrefix("http://"))
        }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// A logger that hides the service group's messages about each service that starts and stops.
    private var quietLogger: Logger {
        var logger = logger
        logger.logLevel = max(logger.logLevel, .warning)
        return logger
    }

    /// Applies the push services' apps and credentials of a configuration that was read again, and resumes paused
    /// lanes.
    ///
    /// All other settings keep the values they had at the start; the log names the sections that changed. If this
    /// method throws, nothing has changed.
    package func reload(_ new: GatewayConfiguration) throws(ConfigurationError) {
        let changes = try new.services.changes(of: delivery.services)
        try https?.reload()
        for change in changes { change() }
        if !delivery.isEmulator {
            delivery.dispatcher.resumeAll()
            logger.notice(
                "reloaded the configuration",
                metadata: ["transport": "\(delivery.currentDescription)"])
        }
        let sections = configuration.sectionsToRestart(for: new)
        guard !sections.isEmpty else { return }
        logger.warning(
            "ignored configuration changes outside apps and keys; restart the gateway to apply them",
            metadata: ["sections": "\(sections.joined(separator: ", "))"])
    }
}

extension GatewayError {
    /// Wraps an error that occurred while the gateway started or ran.
    fileprivate init(startFailure error: any Error) {
        self = error as? GatewayError ?? GatewayError("the gateway stopped: \(error)")
    }
}
