import HummingbirdCore
package import Logging
package import NIOCore

/// A connection without TLS that carries HTTP/1.1, or HTTP/2 by prior knowledge (RFC 9113 §3.3), as clients of gRPC
/// speak it.
package struct OnePortChannel: ServerChildChannel {
    enum Connection: Sendable {
        case http1(HTTP1Connection.Value)
        case http2(HTTP2Connection.Value)
    }

    /// A connection whose version is not known yet.
    package struct Value: ServerChildChannelValue {
        /// The connection.
        package let channel: any Channel
        /// The connection, once its version is known; fails if the client closes it before.
        let connection: EventLoopFuture<Connection>
    }

    private let limits: FirstBytesLimits
    private let http1: HTTP1Connection
    private let http2: HTTP2Connection

    package init(limits: FirstBytesLimits, http1: HTTP1Connection, http2: HTTP2Connection) {
        self.limits = limits
        self.http1 = http1
        self.http2 = http2
    }

    /// Adds the handlers to a new connection.
    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let connection = channel.eventLoop.makePromise(of: Connection.self)
            let handler = FirstBytesHandler(limits: limits, connection: connection) { isHTTP2 in
                isHTTP2
                    ? http2.setup(channel: channel, logger: logger).map { Connection.http2($0) }
                    : http1.setup(channel: channel, logger: logger).map { Connection.http1($0) }
            }
            do {
                try channel.pipeline.syncOperations.addHandler(handler)
            } catch {
                connection.fail(error)
                throw error
            }
            return Value(channel: channel, connection: connection.futureResult)
        }
    }

    /// Serves the connection.
    package func handle(value: Value, logger: Logger) async {
        await value.channel.closedOnCancellation {
            switch try? await value.connection.get() {
            case .http1(let connection): await http1.handle(value: connection, logger: logger)
            case .http2(let connection): await http2.handle(value: connection, logger: logger)
            case nil: break
            }
        }
    }
}
