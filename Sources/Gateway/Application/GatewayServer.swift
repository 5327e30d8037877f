import DocumentStore
import GRPC
import Hummingbird
import HummingbirdCore
import Instance
import Logging
import Server

/// The ports of a gateway: plain and, if configured, over TLS and behind a proxy.
struct GatewayServer: Sendable {
    /// The methods that all ports offer over gRPC.
    var grpc: GRPCRouter {
        get { connections.grpc }
        set { connections.grpc = newValue }
    }

    private var connections: GatewayConnections
    private let http: HTTPSection
    private let fcm: FCMSection
    private let responder: any HTTPResponder<GatewayRequestContext>
    /// The certificates of the HTTPS port; `nil` if there is no such port.
    private let https: HTTPSComponents?
    /// The certificate for connections under Google's names; `nil` if no port serves them.
    private let certificate: ServerCertificate?
    private let addresses: Addresses
    /// The record of the address, for the command line.
    private let record: AddressRecord
    private let logger: Logger

    /// The listening address of each port.
    private struct Addresses: Sendable {
        let http = ListeningAddress()
        let https: ListeningAddress?
        let redirect: ListeningAddress?
        let tls: ListeningAddress?
        let proxy: ListeningAddress?

        var all: [ListeningAddress] { [http] + [https, redirect, tls, proxy].compactMap(\.self) }
    }

    /// Creates the ports that lead to interfaces.
    ///
    /// - Parameter directory: The data directory, which has the authority for Google's names and the record of the
    ///   address.
    init(
        _ configuration: GatewayConfiguration, to interfaces: GatewayInterfaces, _ https: HTTPSComponents?,
        in directory: DataDirectory, _ logger: Logger
    ) throws {
        (http, fcm) = (configuration.http, configuration.fcm)
        connections = GatewayConnections(configuration, to: interfaces, logger)
        responder = interfaces.responder
        self.https = https
        certificate = try Self.makeCertificate(configuration.fcm, directory.authority, logger)
        addresses = Addresses(
            https: configuration.http.tls.map { _ in ListeningAddress() }, redirect: https?.redirect,
            tls: configuration.fcm.tlsPort.map { _ in ListeningAddress() },
            proxy: configuration.fcm.proxyPort.map { _ in ListeningAddress() })
        record = directory.address
        self.logger = logger
    }

    /// Creates the certificate to present over TLS; `nil` if no port serves Google's names.
    private static func makeCertificate(
        _ settings: FCMSection, _ authority: AuthorityFiles, _ logger: Logger
    ) throws -> ServerCertificate? {
        guard settings.tlsPort != nil || settings.proxyPort != nil else { return nil }
        return try ServerCertificate(
            authority: try authority.readOrCreate(for: GoogleHosts.certifiedNames), now: { .now }, logger: logger)
    }

    // MARK: Addresses

    /// The URL of `http.port`, as soon as the gateway listens; `nil` if it ended before that.
    var url: String? {
        get async { await addresses.http.url }
    }

    /// Waits until the gateway listens, then returns the URLs of all ports; `nil` if it ended before that.
    func listening() async -> GatewayAddresses? {
        guard let http = await addresses.http.url else { return nil }
        var urls: [String] = []
        for address in addresses.all { urls += [await address.url].compactMap(\.self) }
        guard urls.count == addresses.all.count else { return nil }
        return GatewayAddresses(
            http: http, https: await addresses.https?.url.map(named), redirect: await addresses.redirect?.url,
            tls: await addresses.tls?.url, proxy: await addresses.proxy?.url)
    }

    /// `true` if the gateway has listened at all ports, or a client has reached one before another failed to open. To
    /// be read after ``close()``.
    var hasServed: Bool {
        get async {
            if connections.openConnections.hasHadAny { return true }
            return await listening() != nil
        }
    }

    /// Returns the URL of the HTTPS port with the first name of its certificate.
    private func named(_ url: String) -> String {
        guard let name = https?.certificates.names.first else { return url }
        let port = url.split(separator: ":").last ?? ""
        return "https://\(name)" + (port == "443" ? "" : ":\(port)")
    }

    /// Tells those who wait for an address that there is none, and removes the record.
    func close() {
        for address in addresses.all { address.announce(nil) }
        record.remove()
    }

    // MARK: Listeners

    var listeners: Listeners {
        Listeners([plainListener, httpsListener, redirectListener, tlsListener, proxyListener].compactMap(\.self))
    }

    private var plainListener: Listener {
        listener("http.port", http.port, connections.plain, addresses.http) { url in
            do {
                try record.note(url)
            } catch {
                logger.warning(
                    "failed to record the address; the command line needs --server to find this gateway",
                    metadata: ["error": "\(error)"])
            }
        }
    }

    private var httpsListener: Listener? {
        guard let settings = http.tls, let https, let address = addresses.https else { return nil }
        var listener = listener("http.tls.port", settings.port, connections.https(https.certificates), address)
        listener.host = settings.listeningHost
        listener.scheme = "https"
        return listener
    }

    private var redirectListener: Listener? {
        guard let settings = http.tls, let port = settings.redirectPort, let https, let httpsAddress = addresses.https,
            let address = addresses.redirect
        else { return nil }
        var listener = listener("http.redirectPort", port, connections.http1Only, address)
        listener.host = settings.listeningHost
        listener.responder = AnyResponder(
            responder: RedirectResponder(
                certificates: https.certificates, challenges: https.challenges, https: httpsAddress))
        return listener
    }

    private var tlsListener: Listener? {
        guard let port = fcm.tlsPort, let certificate, let address = addresses.tls else { return nil }
        var listener = listener("fcm.tls.port", port, connections.google(certificate), address)
        listener.scheme = "https"
        listener.responder.hosts = GoogleHosts.names
        return listener
    }

    private var proxyListener: Listener? {
        guard let port = fcm.proxyPort, let certificate, let address = addresses.proxy else { return nil }
        var listener = listener("fcm.proxy.port", port, connections.proxy(certificate), address)
        listener.responder.hosts = GoogleHosts.names
        return listener
    }

    private func listener(
        _ key: String, _ port: Int, _ connections: @escaping GatewayConnections.Kind, _ address: ListeningAddress,
        onListening: @escaping @Sendable (String) -> Void = { _ in }
    ) -> Listener {
        Listener(
            key: key, host: http.host, port: port, connections: connections,
            responder: AnyResponder(responder: responder), address: address, onListening: onListening,
            openConnections: self.connections.openConnections, logger: serverLogger)
    }

    /// A logger without the servers' own start and stop messages; the start banner reports those.
    private var serverLogger: Logger {
        var logger = logger
        if logger.logLevel == .info { logger.logLevel = .notice }
        return logger
    }
}
