package import GRPC
package import NIOCore

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
    ///
    /// - Parameters:
    ///   - isAwaited: A function that returns `false` once the client has closed its side of the connection.
    ///   - start: A function that runs the work of a call in a task.
    func handler(
        isAwaited: @escaping @Sendable () -> Bool, start: @escaping GRPCStreamHandler.Starter
    ) -> GRPCStreamHandler {
        GRPCStreamHandler(router: router, limits: limits, isAwaited: isAwaited, start: start)
    }
}
