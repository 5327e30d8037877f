package import ConnectProxy
package import HummingbirdCore
package import Logging
package import NIOCore

/// A connection to the proxy. After the client has requested a tunnel, it becomes a connection to `server`.
package struct ConnectChannel<TunnelEnd: ServerChildChannel>: ServerChildChannel {
    /// A connection, and the tunnel that it may become.
    package struct Value: ServerChildChannelValue {
        /// The connection.
        package let channel: any Channel
        /// The server's end of the tunnel; fails if no tunnel is opened.
        let tunnel: EventLoopFuture<TunnelEnd.Value>
    }

    private let destinations: ConnectDestinations
    private let timeout: TimeAmount
    private let server: TunnelEnd

    /// Creates the handlers of connections.
    ///
    /// - Parameters:
    ///   - destinations: The destinations of the tunnels that are opened.
    ///   - timeout: The time for the request's head.
    ///   - server: The server that tunnels lead to.
    package init(destinations: ConnectDestinations, timeout: TimeAmount, server: TunnelEnd) {
        self.destinations = destinations
        self.timeout = timeout
        self.server = server
    }

    /// Adds the handlers to a new connection.
    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let tunnel = channel.eventLoop.makePromise(of: TunnelEnd.Value.self)
            let handler = ConnectHandler(destinations: destinations, timeout: timeout, tunnel: tunnel) {
                server.setup(channel: channel, logger: logger)
            }
            do {
                try channel.pipeline.syncOperations.addHandler(handler)
            } catch {
                tunnel.fail(error)
                throw error
            }
            return Value(channel: channel, tunnel: tunnel.futureResult)
        }
    }

    /// Serves the tunnel of a connection.
    package func handle(value: Value, logger: Logger) async {
        await value.channel.closedOnCancellation {
            guard let tunnel = try? await value.tunnel.get() else { return }
            await server.handle(value: tunnel, logger: logger)
        }
    }
}
