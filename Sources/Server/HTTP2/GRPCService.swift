package import GRPC
package import NIOCore
import Signals

/// The methods that all ports offer over gRPC, and the limits of their calls.
package struct GRPCService: Sendable {
    private let router: GRPCRouter
    private let limits: GRPCLimits
    /// The maximum number of open streams of a connection.
    let maximumStreams: Int
    /// The silence after which a connection with open streams gets a PING. It is shorter than the silence that ends a
    /// TLS connection.
    package let keepAlive = TimeAmount.minutes(2)

    /// Creates a service.
    ///
    /// - Parameter maximumStreams: The maximum number of open streams of a connection.
    package init(router: @escaping GRPCRouter, limits: GRPCLimits, maximumStreams: Int) {
        self.router = router
        self.limits = limits
        self.maximumStreams = maximumStreams
    }

    /// Returns a handler for one call.
    func handler(of stream: any CallStream, _ access: ConnectionAccess) -> GRPCStreamHandler {
        let client = access.client
        return GRPCStreamHandler(
            router: router, limits: limits, stream: stream, eventLoop: access.channel.eventLoop,
            isAwaited: { client.isAwaiting }, start: access.start, onLoop: access.onLoop)
    }
}
