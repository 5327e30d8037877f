import ConnectProxy
import NIOCore
import SimulatorTools

/// A proxy that leads the names of the services' hosts, on port 443, to this service, so that a sender reaches it
/// unchanged. It makes no connections.
struct ServiceProxy: Sendable {
    /// The time for a client to send its request.
    private static let timeout = TimeAmount.seconds(10)

    private let server: PushServer
    private let channels = OpenChannels()

    init(server: PushServer) {
        self.server = server
    }

    func bind(host: String, port: Int, on group: any EventLoopGroup) async throws -> any Channel {
        try await Listening.bind(host: host, port: port, on: group) { channel in
            channel.eventLoop.makeCompletedFuture { try self.configure(channel) }
        }
    }

    /// Closes the connections without a tunnel. Those with one are connections of the server, which has closed them.
    func closeConnections() async { await channels.close(telling: ChannelShouldQuiesceEvent()) }

    private func configure(_ channel: any Channel) throws {
        guard channels.insert(channel) else { throw ChannelError.ioOnClosedChannel }
        let tunnel = channel.eventLoop.makePromise(of: Void.self)
        let server = server
        let handler = ConnectHandler(destinations: Self.destinations, timeout: Self.timeout, tunnel: tunnel) {
            server.configure(channel)
        }
        do {
            try channel.pipeline.syncOperations.addHandler(handler)
        } catch {
            tunnel.fail(error)
            throw error
        }
    }

    private static let destinations = ConnectDestinations(
        hosts: PushServiceProfile.allCases.flatMap(\.hosts),
        hostSuffixes: PushServiceProfile.allCases.flatMap(\.hostSuffixes),
        purpose: """
            It leads only to this push service for tests, under the names of the browsers' push services and port 443.
            docs/webpush-service.md says how to use it. For other hosts, name them in NO_PROXY.
            """)
}
