package import DocumentStore
package import Emulator
import Functions
package import GRPC
import Hummingbird
import Instance
import Logging
import Messaging
package import Secrets
import Server
import ServiceLifecycle
package import Settings

/// A gateway, assembled and ready to run.
///
/// ``build(_:logger:metrics:)`` creates all of its components once and passes them to each other.
package struct Gateway: Service {
    /// The configuration that the gateway was built with.
    package let configuration: GatewayConfiguration
    let storage: GatewayStorage
    let delivery: GatewayDelivery
    /// The background services of the function modules, with their scheduled jobs.
    let services: [any Service]
    let responder: any HTTPResponder<GatewayRequestContext>
    /// The certificates of the HTTPS port; `nil` if there is no such port.
    let https: HTTPSComponents?
    /// The certificate for connections under Google's names; `nil` if no port serves them.
    let certificate: ServerCertificate?
    /// The methods that all ports offer over gRPC.
    package var grpc: GRPCRouter
    let messageMemory: MessageMemory
    let addresses: Addresses
    /// The open connections to all ports.
    let connections: OpenConnections
    let logger: Logger

    /// The listening address of each port.
    struct Addresses: Sendable {
        let http = ListeningAddress()
        let https: ListeningAddress?
        let redirect: ListeningAddress?
        let tls: ListeningAddress?
        let proxy: ListeningAddress?

        var all: [ListeningAddress] { [http] + [https, redirect, tls, proxy].compactMap(\.self) }
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
        let services =
            [delivery.dispatcher, delivery.broadcaster, delivery.takeover] + services + [listeners] + renewal + watch
        let group = ServiceGroup(configuration: .init(services: services, logger: quietLogger))
        do {
            try await CopyProgress.check(storage.engine)
            try await refuseEarlierChunks()
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
        for address in addresses.all { address.announce(nil) }
        storage.directory.address.remove()
        for service in delivery.services { await service.shutdown() }
        await storage.engine.close()
        if storage.engine.watchedFiles?.hasLostFiles == true {
            logger.critical("stopped; the database is lost, and messages accepted before are lost with it")
        } else {
            logger.info("stopped; everything accepted is on disk")
        }
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
    package func url() async -> String? { await addresses.http.url }

    /// Waits until the gateway listens, then returns the URLs of all ports; `nil` if it ended before that.
    package func listening() async -> GatewayAddresses? {
        guard let http = await addresses.http.url else { return nil }
        var urls: [String] = []
        for address in addresses.all { urls += [await address.url].compactMap(\.self) }
        guard urls.count == addresses.all.count else { return nil }
        return GatewayAddresses(
            http: http, https: await addresses.https?.url.map(named), redirect: await addresses.redirect?.url,
            tls: await addresses.tls?.url, proxy: await addresses.proxy?.url)
    }

    /// Returns the URL of the HTTPS port with the first name of its certificate.
    private func named(_ url: String) -> String {
        guard let name = https?.certificates.names.first else { return url }
        let port = url.split(separator: ":").last ?? ""
        return "https://\(name)" + (port == "443" ? "" : ":\(port)")
    }

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
}

extension Gateway {
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
