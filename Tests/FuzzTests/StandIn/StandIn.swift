import Cryptography
import Fuzzing
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL

/// A small server over HTTP/1, and over HTTP/2 with TLS, with one planted fault or none.
struct StandIn {
    enum Plant: String, CaseIterable, Sendable {
        case none
        /// A query whose `limit` is no whole number ends the server.
        case crash
        /// A body whose `count` is no whole number is answered with 500.
        case serverError
        /// A body of another type is never answered.
        case hang
        /// The end of the client's side is ignored.
        case staysOpen
    }

    /// The routes of the stand-in.
    static let routes = [
        Route("stand-in", "GET", "/items/<n>?limit=1<n>", [("Authorization", "Bearer key")]),
        Route(
            "stand-in", "POST", "/items", [("Content-Type", "application/json")], [#"{"name":"<word>","count":<n>}"#]),
        Route("stand-in", "GET", "/healthz"),
    ]

    /// Runs a stand-in for the body, with and without TLS.
    static func running<Output>(
        _ plant: Plant, _ body: (FuzzTarget) async throws -> Output
    ) async throws -> Output {
        let connections = StandInConnections()
        let plain = try await listen(plant, connections, tls: nil)
        let secure = try await listen(plant, connections, tls: try tls())
        defer { connections.closeAll() }
        return try await body(FuzzTarget(port: port(plain), tlsPort: port(secure)))
    }

    private static func port(_ channel: any Channel) -> Int { channel.localAddress?.port ?? 0 }

    private static func listen(
        _ plant: Plant, _ connections: StandInConnections, tls: NIOSSLContext?
    ) async throws -> any Channel {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: plant == .staysOpen)
            .childChannelInitializer { channel in
                connections.add(channel)
                return channel.eventLoop.makeCompletedFuture { try configure(channel, plant, connections, tls) }
                    .flatMap { $0 }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        connections.add(listener: channel)
        return channel
    }

    /// - Returns: A future that completes when the pipeline is ready.
    private static func configure(
        _ channel: any Channel, _ plant: Plant, _ connections: StandInConnections, _ tls: NIOSSLContext?
    ) throws -> EventLoopFuture<Void> {
        let pipeline = channel.pipeline.syncOperations
        guard let tls else {
            if plant == .staysOpen { try pipeline.addHandler(EndIgnorer()) }
            try pipeline.configureHTTPServerPipeline()
            try pipeline.addHandler(StandInHandler(plant, connections))
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        try pipeline.addHandler(NIOSSLServerHandler(context: tls))
        return channel.configureCommonHTTPServerPipeline { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(StandInHandler(plant, connections))
            }
        }
    }

    private static func tls() throws -> NIOSSLContext {
        let authority = try CertificateAuthority(commonName: "Stand-in", validity: .seconds(3_600))
        let certificate = try authority.issue(
            commonName: "Stand-in", dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"], validity: .seconds(3_600))
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.certificatePEM.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(certificate.privateKeyPEM.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.applicationProtocols = ["h2", "http/1.1"]
        configuration.shutdownTimeout = .milliseconds(100)
        return try NIOSSLContext(configuration: configuration)
    }
}

/// A handler that ignores the end of the client's side.
private final class EndIgnorer: ChannelInboundHandler {
    typealias InboundIn = Any

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent != .inputClosed { context.fireUserInboundEventTriggered(event) }
    }
}
