internal import HummingbirdCore
internal import Logging
internal import NIOCore

/// A connection to the proxy, which becomes one to a server once its client has asked for a tunnel there.
struct ConnectChannel<Server: ServerChildChannel>: ServerChildChannel {
    struct Value: ServerChildChannelValue {
        let channel: any Channel
        /// Fails when there will be none.
        let tunnel: EventLoopFuture<Server.Value>
    }

    let timeout: TimeAmount
    /// What the tunnels lead to.
    let server: Server

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let tunnel = channel.eventLoop.makePromise(of: Server.Value.self)
            let handler = ConnectHandler(timeout: timeout, tunnel: tunnel) {
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

    func handle(value: Value, logger: Logger) async {
        await value.channel.closedOnCancellation {
            guard let tunnel = try? await value.tunnel.get() else { return }
            await server.handle(value: tunnel, logger: logger)
        }
    }
}
