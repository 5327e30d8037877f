import NIOCore
import NIOHTTP2
import NIOSSL
import SimulatorTools
import Synchronization

/// The listener for senders: HTTP/2 over TLS, with or without ALPN.
struct APNsServer: Sendable {
    let configuration: APNsSimulatorConfiguration
    let rules: ValidationRules
    let responder: APNsResponder
    let tls: NIOSSLContext
    let channels = OpenChannels()
    private let connections: ConnectionNumbers

    /// Creates a server that does not listen yet.
    ///
    /// - Parameter connections: The source of its connections' numbers, which it may share with another server.
    init(
        configuration: APNsSimulatorConfiguration, rules: ValidationRules, responder: APNsResponder,
        tls: NIOSSLContext, connections: ConnectionNumbers
    ) {
        self.configuration = configuration
        self.rules = rules
        self.responder = responder
        self.tls = tls
        self.connections = connections
    }

    /// The configured port.
    var port: Int { responder.host == .notifications ? configuration.port : configuration.channelPort }

    func bind(on group: any EventLoopGroup) async throws -> any Channel {
        try await Listening.bind(host: configuration.host, port: port, on: group) { channel in
            channel.eventLoop.makeCompletedFuture { try self.configure(channel) }
        }
    }

    private func configure(_ channel: any Channel) throws {
        guard channels.insert(channel) else { throw ChannelError.ioOnClosedChannel }
        let script = responder.host == .notifications ? responder.scripts.takeConnection() : ConnectionScript()
        let socket = SocketHandler(isStalled: script.stallsHandshake)
        let goAwayWatch = GoAwayWatch(history: responder.history)
        try channel.pipeline.syncOperations.addHandlers([
            socket,
            NIOSSLServerHandler(context: tls),
            NIOHTTP2Handler(
                mode: .server, frameDelegate: goAwayWatch, connectionConfiguration: connectionConfiguration,
                streamConfiguration: streamConfiguration(script)),
            ConnectionHandler(
                state: connectionState(script), responder: responder, requiresALPN: configuration.requiresALPN,
                goAwayWatch: goAwayWatch, socket: socket),
        ])
    }

    private func connectionState(_ script: ConnectionScript) -> ServerConnectionState {
        ServerConnectionState(
            number: connections.next(), validator: RequestValidator(rules: rules),
            streamLimitToRaiseTo: configuration.startsWithOneStream ? configuration.maximumConcurrentStreams : nil,
            script: script)
    }

    private var connectionConfiguration: NIOHTTP2Handler.ConnectionConfiguration {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        let streams = configuration.startsWithOneStream ? 1 : configuration.maximumConcurrentStreams
        // As many as can be open: frames that were sent before a stream was refused are not an error.
        connection.maximumRecentlyResetStreams = configuration.maximumConcurrentStreams
        connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: streams),
            HTTP2Setting(parameter: .maxHeaderListSize, value: 16_384),
        ]
        return connection
    }

    /// Returns the configuration of streams, with or without NIO's limiter of stream resets.
    ///
    /// libcurl 7.88 resets nearly every stream after its answer, and NIO's limiter (200 in 30 s) treats that as an
    /// attack. The limiter cannot be switched off, and it keeps a time stamp for each reset in its window. A window of
    /// 1 ms is too short for any client to reach the limit.
    private func streamConfiguration(_ script: ConnectionScript) -> NIOHTTP2Handler.StreamConfiguration {
        var stream = NIOHTTP2Handler.StreamConfiguration()
        if !(script.limitsStreamResets ?? configuration.limitsStreamResets) {
            stream.streamResetFrameRateLimit.maximumCount = 10_000
            stream.streamResetFrameRateLimit.windowLength = .milliseconds(1)
        }
        return stream
    }
}

/// A source of connection numbers, from 1, shared by all event loops.
final class ConnectionNumbers: Sendable {
    private let last = Atomic(0)

    func next() -> Int { last.add(1, ordering: .relaxed).newValue }
}
