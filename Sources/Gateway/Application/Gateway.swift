public import DocumentStore
internal import Functions
internal import Hummingbird
internal import Logging
public import Messaging
public import ServiceLifecycle

/// A gateway, put together and ready to run.
///
/// Everything it consists of is made in ``build(_:logger:metrics:)``, once, and handed to who needs it.
public struct Gateway: Service {
    public let configuration: GatewayConfiguration
    /// The gateway's own documents.
    public let store: any DocumentStore
    /// What emulated devices received.
    public let inbox: Inbox
    /// What must be sent along with requests to the endpoints that are not for everyone.
    public let adminToken: RedactedString
    /// Whether the admin token was made just now, and nobody has seen it.
    public let isAdminTokenNew: Bool
    /// For people: how notifications leave.
    public let transportDescription: String
    /// For people: the systems that are switched on.
    public let systemNames: [String]

    let engine: SQLiteEngine
    let directory: DataDirectory
    let apns: APNsLink?
    let relay: RelayLink?
    let dispatcher: Dispatcher
    let broadcaster: Broadcaster
    let scheduler: JobScheduler
    /// What the modules do all the time.
    let services: [any Service]
    let responder: any HTTPResponder<GatewayRequestContext>
    /// What it shows over TLS; nil when it does not listen there.
    let certificate: ServerCertificate?
    let addresses: Addresses
    /// To any of its ports.
    let connections: OpenConnections
    let logger: Logger

    /// Where it listens at each of its ports.
    struct Addresses: Sendable {
        let http = ListeningAddress()
        let tls: ListeningAddress?
        let proxy: ListeningAddress?
    }

    /// Serves until the surrounding service group shuts down: first no more requests, then what is under way, then the
    /// store.
    public func run() async throws {
        let services: [any Service] = [dispatcher, broadcaster, scheduler] + services + [listeners]
        let group = ServiceGroup(configuration: .init(services: services, logger: quietLogger))
        do {
            try await group.run()
        } catch {
            await close()
            throw GatewayError(startFailure: error)
        }
        await close()
    }

    private func close() async {
        for address in [addresses.http, addresses.tls, addresses.proxy] { address?.announce(nil) }
        directory.removeAddress()
        await apns?.shutdown()
        await relay?.shutdown()
        await engine.close()
        logger.info("stopped; everything accepted is on disk")
    }

    /// Where it listens, `http://127.0.0.1:8080`, as soon as it does; nil when it has ended before that.
    public func url() async -> String? { await addresses.http.url }

    /// All of where it listens, as soon as it does; nil when it has ended before that.
    public func listening() async -> GatewayAddresses? {
        let (http, tls, proxy) = (await addresses.http.url, await addresses.tls?.url, await addresses.proxy?.url)
        let isComplete = (tls == nil) == (addresses.tls == nil) && (proxy == nil) == (addresses.proxy == nil)
        guard let http, isComplete else { return nil }
        return GatewayAddresses(http: http, tls: tls, proxy: proxy)
    }

    /// Service groups tell of each service that starts and stops; that is for debugging.
    private var quietLogger: Logger {
        var logger = logger
        logger.logLevel = max(logger.logLevel, .warning)
        return logger
    }
}
