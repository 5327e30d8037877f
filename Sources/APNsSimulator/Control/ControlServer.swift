import NIOCore
import NIOHTTP1
import NIOPosix

/// The listener of the control address: plain HTTP/1.1, for tests and people.
struct ControlServer: Sendable {
    let host: String
    let port: Int
    let router: ControlRouter
    let channels = OpenChannels()

    init(host: String, port: Int, router: ControlRouter) {
        self.host = host
        self.port = port
        self.router = router
    }

    func bind(on group: any EventLoopGroup) async throws -> any Channel {
        try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try self.configure(channel) }
            }
            .bind(host: host, port: port)
            .get()
    }

    private func configure(_ channel: any Channel) throws {
        guard channels.insert(channel) else { throw ChannelError.ioOnClosedChannel }
        try channel.pipeline.syncOperations.configureHTTPServerPipeline()
        try channel.pipeline.syncOperations.addHandler(ControlHandler(router: router))
    }
}
