package import NIOCore
import NIOHTTP1

/// The listener of the control address: plain HTTP/1.1, for tests and people.
package struct ControlServer: Sendable {
    private let host: String
    private let port: Int
    private let endpoints: any ControlEndpoints
    private let channels = OpenChannels()

    /// Creates a server that does not listen yet.
    package init(host: String, port: Int, endpoints: any ControlEndpoints) {
        self.host = host
        self.port = port
        self.endpoints = endpoints
    }

    /// Begins to listen, and returns the listener.
    package func bind(on group: any EventLoopGroup) async throws -> any Channel {
        try await Listening.bind(host: host, port: port, on: group) { channel in
            channel.eventLoop.makeCompletedFuture { try self.configure(channel) }
        }
    }

    /// Closes all connections. The caller has closed the listener.
    package func closeConnections() async { await channels.close(telling: ControlHandler.ShutdownEvent()) }

    private func configure(_ channel: any Channel) throws {
        guard channels.insert(channel) else { throw ChannelError.ioOnClosedChannel }
        try channel.pipeline.syncOperations.configureHTTPServerPipeline()
        try channel.pipeline.syncOperations.addHandler(ControlHandler(endpoints: endpoints))
    }
}
