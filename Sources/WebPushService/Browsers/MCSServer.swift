import NIOCore
import NIOSSL
import SimulatorTools

/// The listener of MCS for Chromium, over TLS.
struct MCSServer: Sendable {
    private let broker: PushBroker
    private let tls: NIOSSLContext
    private let now: @Sendable () -> Int64
    private let channels = OpenChannels()

    init(broker: PushBroker, tls: NIOSSLContext, now: @escaping @Sendable () -> Int64) {
        self.broker = broker
        self.tls = tls
        self.now = now
    }

    func bind(host: String, port: Int, on group: any EventLoopGroup) async throws -> any Channel {
        try await Listening.bind(host: host, port: port, on: group) { channel in
            channel.eventLoop.makeCompletedFuture { try self.configure(channel) }
        }
    }

    /// Closes all connections. The caller has closed the listener.
    func closeConnections() async { await channels.close(telling: BrowserShutdownEvent()) }

    private func configure(_ channel: any Channel) throws {
        guard channels.insert(channel) else { throw ChannelError.ioOnClosedChannel }
        try channel.pipeline.syncOperations.addHandlers(
            NIOSSLServerHandler(context: tls), MCSHandler(broker: broker, now: now))
    }
}
