import Functions
import GRPC
import Hummingbird
import HummingbirdCore
import Instance
import Logging
import NIOCore
import NIOSSL
import Server
import ServiceLifecycle

/// The HTTP servers of a gateway: plain and, if configured, over TLS and behind a proxy.
extension Gateway {
    /// The maximum size of a message over gRPC, in bytes: Firestore's 10 MiB, and some more, so that its service can
    /// say itself that a request is too large.
    private static let maximumMessageBytes = 10 * 1024 * 1024 + 64 * 1024

    /// The maximum number of open streams of a connection for Firestore's clients. SDKs for servers keep one stream
    /// open for each listener, all on one connection, and their next call waits without a word if there are too many.
    private static let streamsWithListeners = 1_000
    /// The same if the gateway does not serve Firestore's interface.
    private static let streamsWithoutListeners = 100

    /// The time within which a client must read some of its response. It is longer than the request timeout, because
    /// slow lines deliver data in bursts.
    private var writePeriod: TimeAmount { requestTimeout * 2 }

    var listeners: Listeners {
        Listeners([plainListener, httpsListener, redirectListener, tlsListener, proxyListener].compactMap(\.self))
    }

    private var plainListener: Listener {
        listener("http.port", configuration.http.port, plainConnections, addresses.http) { url in
            do {
                try storage.directory.address.note(url)
            } catch {
                logger.warning(
                    "failed to record the address; the command line needs --server to find this gateway",
                    metadata: ["error": "\(error)"])
            }
        }
    }

    private var plainConnections: HTTPServerBuilder {
        HTTPServerBuilder { responder in
            let http1 = HTTP1Connection(responder: responder, configuration: requests, isOverTLS: false)
            return counted(onePort(http1, grpcService, responder))
        }
    }

    private func onePort(
        _ http1: HTTP1Connection, _ grpc: GRPCService, _ responder: @escaping HTTPChannelHandler.Responder
    ) -> OnePortChannel {
        let http2 = HTTP2Connection(
            requests: HTTP1Channel(responder: responder, configuration: requests), grpc: grpc,
            limits: HTTP2ConnectionState.Limits(
                idle: idleTimeout, head: requestTimeout, keepAlive: grpc.keepAlive),
            writePeriod: writePeriod, logger: logger)
        return OnePortChannel(
            limits: FirstBytesLimits(silence: idleTimeout, head: requestTimeout), http1: http1, http2: http2)
    }

    /// The service of all ports for gRPC.
    private var grpcService: GRPCService {
        GRPCService(
            router: grpc,
            limits: GRPCLimits(
                maximumMessageBytes: Self.maximumMessageBytes, messageTimeout: requestTimeout, memory: messageMemory),
            maximumStreams: configuration.servesFirestore
                ? Self.streamsWithListeners : Self.streamsWithoutListeners)
    }

    private var httpsListener: Listener? {
        guard let settings = configuration.http.tls, let https, let address = addresses.https else { return nil }
        let connections = HTTPServerBuilder { responder in
            counted(
                try tlsChannel(
                    .server(https.certificates), TLSConnectionLimits(handshake: requestTimeout), responder))
        }
        var listener = listener("http.tls.port", settings.port, connections, address)
        listener.host = settings.listeningHost
        listener.scheme = "https"
        return listener
    }

    private var redirectListener: Listener? {
        guard let settings = configuration.http.tls, let port = settings.redirectPort, let https,
            let httpsAddress = addresses.https, let address = addresses.redirect
        else { return nil }
        let connections = HTTPServerBuilder { responder in
            counted(HTTP1Connection(responder: responder, configuration: requests, isOverTLS: false))
        }
        var listener = listener("http.redirectPort", port, connections, address)
        listener.host = settings.listeningHost
        listener.responder = AnyResponder(
            responder: RedirectResponder(
                certificates: https.certificates, challenges: https.challenges, https: httpsAddress))
        return listener
    }

    private var tlsListener: Listener? {
        guard let port = configuration.fcm.tlsPort, let certificate, let address = addresses.tls else { return nil }
        let connections = HTTPServerBuilder { responder in counted(try googleChannel(certificate, responder)) }
        var listener = listener("fcm.tls.port", port, connections, address)
        listener.scheme = "https"
        listener.responder.hosts = GoogleHosts.names
        return listener
    }

    private var proxyListener: Listener? {
        guard let port = configuration.fcm.proxyPort, let certificate, let address = addresses.proxy else { return nil }
        let connections = HTTPServerBuilder { responder in
            counted(
                ConnectChannel(
                    destinations: .google, timeout: requestTimeout, server: try googleChannel(certificate, responder)))
        }
        var listener = listener("fcm.proxy.port", port, connections, address)
        listener.responder.hosts = GoogleHosts.names
        return listener
    }

    private func listener(
        _ key: String, _ port: Int, _ connections: HTTPServerBuilder, _ address: ListeningAddress,
        onListening: @escaping @Sendable (String) -> Void = { _ in }
    ) -> Listener {
        Listener(
            key: key, host: configuration.http.host, port: port, connections: connections,
            responder: AnyResponder(responder: responder), address: address, onListening: onListening,
            openConnections: self.connections, logger: serverLogger)
    }

    private func counted<Child: ServerChildChannel>(_ child: Child) -> CountedChannel<Child> {
        CountedChannel(connections: connections, writePeriod: writePeriod, child: child)
    }

    /// Returns the handlers of connections under Google's names.
    private func googleChannel(
        _ certificate: ServerCertificate, _ responder: @escaping HTTPChannelHandler.Responder
    ) throws -> TLSChannel {
        let limits = TLSConnectionLimits(handshake: requestTimeout, isByOwnAuthority: true)
        return try tlsChannel(certificate.tlsConfiguration, limits, responder)
    }

    private func tlsChannel(
        _ tls: TLSConfiguration, _ limits: TLSConnectionLimits,
        _ responder: @escaping HTTPChannelHandler.Responder
    ) throws -> TLSChannel {
        try TLSChannel(
            tls, limits: limits, requests: requests, grpc: grpcService, writePeriod: writePeriod,
            responder: responder, logger: logger)
    }

    /// The settings for requests, the same for every kind of connection.
    private var requests: HTTP1Channel.Configuration {
        let (timeout, largestBody) = (requestTimeout, largestBody)
        return HTTP1Channel.Configuration(
            additionalChannelHandlers: [RequestDeadlineHandler(timeout: timeout, largestBody: largestBody)],
            idleTimeout: idleTimeout)
    }

    /// The largest request body that any endpoint accepts, in bytes.
    private var largestBody: Int {
        configuration.modules.settings.map(\.maximumUploadBytes).reduce(FirestoreRoute.maximumBytes, max)
    }

    private var requestTimeout: TimeAmount { TimeAmount(configuration.http.requestTimeout) }
    private var idleTimeout: TimeAmount { TimeAmount(configuration.http.idleTimeout) }

    /// A logger without the servers' own start and stop messages; the start banner reports those.
    private var serverLogger: Logger {
        var logger = logger
        if logger.logLevel == .info { logger.logLevel = .notice }
        return logger
    }
}

extension GatewayError {
    /// Wraps an error that occurred while the gateway started or ran.
    init(startFailure error: any Error) {
        self = error as? GatewayError ?? GatewayError("the gateway stopped: \(error)")
    }
}
