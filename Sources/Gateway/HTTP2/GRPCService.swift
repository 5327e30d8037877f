import GRPC
import NIOCore

/// The methods that all ports offer over gRPC, and the limits of their calls.
struct GRPCService: Sendable {
    /// The maximum number of open streams of a connection for Firestore's clients. SDKs for servers keep one stream
    /// open for each listener, all on one connection, and their next call waits without a word if there are too many.
    static let streamsWithListeners = 1_000
    /// The same if the gateway does not serve Firestore's interface.
    static let streamsWithoutListeners = 100

    let router: GRPCRouter
    let limits: GRPCLimits
    /// The maximum number of open streams of a connection.
    let maximumStreams: Int
    /// The silence after which a connection with open streams gets a PING. It is shorter than the silence that ends a
    /// TLS connection.
    let keepAlive = TimeAmount.minutes(2)

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
