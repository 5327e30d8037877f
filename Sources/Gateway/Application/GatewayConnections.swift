import Functions
import GRPC
import HummingbirdCore
import Logging
import NIOCore
import NIOSSL
import Server

/// The kinds of connections to the ports of a gateway, which have their limits and the methods over gRPC in common.
struct GatewayConnections: Sendable {
    /// A kind of connection, which is given the function that responds to requests.
    typealias Kind = @Sendable (_ respond: @escaping RequestResponder) -> HTTPServerBuilder

    /// The maximum size of a message over gRPC, in bytes: Firestore's 10 MiB, and some more, so that its service can
    /// say itself that a request is too large.
    private static let maximumMessageBytes = 10 * 1024 * 1024 + 64 * 1024

    /// The maximum number of open streams of a connection for Firestore's clients. SDKs for servers keep one stream
    /// open for each listener, all on one connection, and their next call waits without a word if there are too many.
    private static let streamsWithListeners = 1_000
    /// The same if the gateway does not serve Firestore's interface.
    private static let streamsWithoutListeners = 100

    /// The methods that all ports offer over gRPC.
    var grpc: GRPCRouter
    /// The open connections to all ports.
    let openConnections: OpenConnections
    private let messageMemory: MessageMemory
    private let maximumStreams: Int
    /// The largest request body that any endpoint accepts, in bytes.
    private let largestBody: Int
    private let requestTimeout: TimeAmount
    private let idleTimeout: TimeAmount
    private let logger: Logger

    /// Creates the kinds of connections that lead to interfaces.
    init(_ configuration: GatewayConfiguration, to interfaces: GatewayInterfaces, _ logger: Logger) {
        grpc = interfaces.grpc
        messageMemory = interfaces.messageMemory
        maximumStreams = configuration.servesFirestore ? Self.streamsWithListeners : Self.streamsWithoutListeners
        largestBody = configuration.modules.settings.map(\.maximumUploadBytes).reduce(FirestoreRoute.maximumBytes, max)
        requestTimeout = TimeAmount(configuration.http.requestTimeout)
        idleTimeout = TimeAmount(configuration.http.idleTimeout)
        openConnections = OpenConnections(capacity: DescriptorLimit.current?.connections ?? .max, logger: logger)
        self.logger = logger
    }

    // MARK: Kinds

    /// Connections without TLS, over HTTP/1.1 or HTTP/2.
    var plain: Kind {
        { respond in
            HTTPServerBuilder { _ in counted(onePort(http1(respond), service, respond)) }
        }
    }

    /// Connections without TLS, over HTTP/1.1 alone.
    var http1Only: Kind {
        { respond in
            HTTPServerBuilder { _ in counted(http1(respond)) }
        }
    }

    /// Returns connections over TLS under the gateway's own names.
    func https(_ certificates: CertificateFiles) -> Kind {
        { respond in
            HTTPServerBuilder { _ in
                counted(
                    try tlsChannel(.server(certificates), TLSConnectionLimits(handshake: requestTimeout), respond))
            }
        }
    }

    /// Returns connections over TLS under Google's names.
    func google(_ certificate: ServerCertificate) -> Kind {
        { respond in
            HTTPServerBuilder { _ in counted(try googleChannel(certificate, respond)) }
        }
    }

    /// Returns connections to a proxy that leads to Google's names.
    func proxy(_ certificate: ServerCertificate) -> Kind {
        { respond in
            HTTPServerBuilder { _ in
                counted(
                    ConnectChannel(
                        destinations: .google, timeout: requestTimeout,
                        server: try googleChannel(certificate, respond)))
            }
        }
    }

    // MARK: Their parts

    /// The time within which a client must read some of its response. It is longer than the request timeout, because
    /// slow lines deliver data in bursts.
    private var writePeriod: TimeAmount { requestTimeout * 2 }

    /// The limits of each request, the same for every kind of connection.
    private var requestLimits: RequestLimits { RequestLimits(timeout: requestTimeout, largestBody: largestBody) }

    /// The settings for requests over HTTP/1.1.
    private var requests: HTTP1Channel.Configuration {
        let limits = requestLimits
        return HTTP1Channel.Configuration(
            additionalChannelHandlers: [RequestDeadlineHandler(limits)], idleTimeout: idleTimeout)
    }

    /// The service of all ports for gRPC.
    private var service: GRPCService {
        GRPCService(
            router: grpc,
            limits: GRPCLimits(
                maximumMessageBytes: Self.maximumMessageBytes, messageTimeout: requestTimeout, memory: messageMemory),
            maximumStreams: maximumStreams)
    }

    private func counted<Child: ServerChildChannel>(_ child: Child) -> CountedChannel<Child> {
        CountedChannel(connections: openConnections, writePeriod: writePeriod, child: child)
    }

    private func http1(_ respond: @escaping RequestResponder) -> HTTP1Connection {
        HTTP1Connection(respond: respond, configuration: requests, isOverTLS: false, logger: logger)
    }

    private func onePort(
        _ http1: HTTP1Connection, _ grpc: GRPCService, _ respond: @escaping RequestResponder
    ) -> OnePortChannel {
        let http2 = HTTP2Connection(
            respond: respond, requests: requestLimits, grpc: grpc,
            limits: HTTP2ConnectionState.Limits(
                idle: idleTimeout, head: requestTimeout, keepAlive: grpc.keepAlive),
            writePeriod: writePeriod, logger: logger)
        return OnePortChannel(
            limits: FirstBytesLimits(silence: idleTimeout, head: requestTimeout), http1: http1, http2: http2)
    }

    private func googleChannel(
        _ certificate: ServerCertificate, _ respond: @escaping RequestResponder
    ) throws -> TLSChannel {
        let limits = TLSConnectionLimits(handshake: requestTimeout, isByOwnAuthority: true)
        return try tlsChannel(certificate.tlsConfiguration, limits, respond)
    }

    private func tlsChannel(
        _ tls: TLSConfiguration, _ limits: TLSConnectionLimits, _ respond: @escaping RequestResponder
    ) throws -> TLSChannel {
        try TLSChannel(
            tls, limits: limits, requests: requests, requestLimits: requestLimits, grpc: service,
            writePeriod: writePeriod, respond: respond, logger: logger)
    }
}
