import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOSSL
import SimulatorTools
import Synchronization

/// The listener for application servers: HTTP/1.1 and HTTP/2 over TLS, as negotiated (ALPN, RFC 7301).
final class PushServer: Sendable {
    private static let maximumConcurrentStreams = 1_000

    let responder: PushResponder
    private let rules: PushRules
    private let tls: NIOSSLContext
    private let channels = OpenChannels()
    private let lastConnection = Atomic(0)

    init(responder: PushResponder, rules: PushRules, tls: NIOSSLContext) {
        self.responder = responder
        self.rules = rules
        self.tls = tls
    }

    func bind(host: String, port: Int, on group: any EventLoopGroup) async throws -> any Channel {
        try await Listening.bind(host: host, port: port, on: group) { self.configure($0) }
    }

    /// Closes all connections, those through the proxy included. The caller has closed the listeners.
    func closeConnections(within gracePeriod: TimeAmount) async {
        await channels.close(telling: SenderConnectionHandler.ShutdownEvent(gracePeriod: gracePeriod))
    }

    /// Adds the handlers to a new connection, or to a tunnel of the proxy.
    func configure(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            guard self.channels.insert(channel) else { throw ChannelError.ioOnClosedChannel }
            let connection = NIOLoopBound(
                SenderConnection(
                    number: self.lastConnection.add(1, ordering: .relaxed).newValue,
                    validator: PushRequestValidator(rules: self.rules), channel: channel),
                eventLoop: channel.eventLoop)
            try channel.pipeline.syncOperations.addHandlers(
                NIOSSLServerHandler(context: self.tls),
                SenderConnectionHandler(connection.value, history: self.responder.history))
            return connection
        }.flatMap { connection in
            channel.configureHTTP2SecureUpgrade(
                h2ChannelConfigurator: { channel in
                    channel.eventLoop.makeCompletedFuture { try self.addHTTP2(to: channel, connection) }
                },
                http1ChannelConfigurator: { channel in
                    channel.eventLoop.makeCompletedFuture { try self.addHTTP1(to: channel, connection) }
                })
        }
    }

    private func addHTTP1(to channel: any Channel, _ connection: NIOLoopBound<SenderConnection>) throws {
        try channel.pipeline.syncOperations.configureHTTPServerPipeline()
        try channel.pipeline.syncOperations.addHandler(PushRequestHandler(connection.value, responder: responder))
    }

    private func addHTTP2(to channel: any Channel, _ connection: NIOLoopBound<SenderConnection>) throws {
        let responder = responder
        _ = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
            mode: .server, connectionConfiguration: Self.connectionConfiguration,
            streamConfiguration: Self.streamConfiguration
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandlers(
                    HTTP2FramePayloadToHTTP1ServerCodec(),
                    PushRequestHandler(connection.value, responder: responder))
            }
        }
        try channel.pipeline.syncOperations.addHandler(NIOCloseOnErrorHandler())
    }

    private static var connectionConfiguration: NIOHTTP2Handler.ConnectionConfiguration {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: maximumConcurrentStreams),
            HTTP2Setting(parameter: .maxHeaderListSize, value: 16_384),
        ]
        return connection
    }

    /// The configuration of streams without NIO's limiter of stream resets, for the reason that the APNs simulator
    /// has: libcurl 7.88 resets nearly every stream after its answer.
    private static var streamConfiguration: NIOHTTP2Handler.StreamConfiguration {
        var stream = NIOHTTP2Handler.StreamConfiguration()
        stream.streamResetFrameRateLimit.maximumCount = 10_000
        stream.streamResetFrameRateLimit.windowLength = .milliseconds(1)
        return stream
    }
}
