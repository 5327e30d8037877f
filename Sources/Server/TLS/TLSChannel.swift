package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTP2
package import NIOSSL

/// A TLS connection that carries HTTP/2 or HTTP/1.1, as negotiated (ALPN, RFC 7301), or HTTP/1.1 without a
/// negotiation. A silent client cannot keep it open.
package struct TLSChannel: ServerChildChannel {
    /// A connection whose version of HTTP is not negotiated yet.
    package struct Value: ServerChildChannelValue {
        /// The connection.
        package let channel: any Channel
        let negotiated: EventLoopFuture<NIONegotiatedHTTPVersion<HTTP1Channel.Value, HTTP2Connection.Value>>
    }

    private let context: NIOSSLContext
    private let limits: TLSConnectionLimits
    private let http1: HTTP1Connection
    private let http2: HTTP2Connection
    private let logger: Logger

    /// Creates the handlers of TLS connections.
    ///
    /// - Parameters:
    ///   - configuration: The versions and the certificate.
    ///   - requests: The settings for an HTTP/1.1 connection, and for each HTTP/2 stream.
    ///   - grpc: The methods of gRPC.
    ///   - writePeriod: The interval between two checks of responses on streams that wait for their client.
    package init(
        _ configuration: TLSConfiguration, limits: TLSConnectionLimits, requests: HTTP1Channel.Configuration,
        grpc: GRPCService, writePeriod: TimeAmount, responder: @escaping HTTPChannelHandler.Responder, logger: Logger
    ) throws {
        var configuration = configuration
        configuration.applicationProtocols = NIOHTTP2SupportedALPNProtocols
        context = try NIOSSLContext(configuration: configuration)
        http1 = HTTP1Connection(responder: responder, configuration: requests, isOverTLS: true)
        http2 = HTTP2Connection(
            requests: HTTP1Channel(responder: responder, configuration: requests), grpc: grpc,
            limits: limits.http2(requests.idleTimeout, grpc), writePeriod: writePeriod, logger: logger)
        self.limits = limits
        self.logger = logger
    }

    /// Adds the handlers to a new connection.
    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandlers(
                NIOSSLServerHandler(context: context), IdleStateHandler(allTimeout: limits.silence),
                TLSConnectionWatch(limits, self.logger))
        }.flatMap {
            channel.configureHTTP2AsyncSecureUpgrade { channel in
                http1.setup(channel: channel, logger: logger)
            } http2ConnectionInitializer: { channel in
                http2.setup(channel: channel, logger: logger)
            }
        }.map { Value(channel: channel, negotiated: $0) }
    }

    /// Serves the connection.
    package func handle(value: Value, logger: Logger) async {
        await value.channel.closedOnCancellation {
            switch try? await value.negotiated.get() {
            case .http1_1(let connection): await http1.handle(value: connection, logger: logger)
            case .http2(let connection): await http2.handle(value: connection, logger: logger)
            // There was no handshake; the watch has logged the reason.
            case nil: break
            }
        }
    }
}

extension TLSConnectionLimits {
    /// Returns the limits for HTTP/2. A request's head gets the same time as a handshake, as with HTTP/1.1.
    fileprivate func http2(_ idleTime: TimeAmount?, _ grpc: GRPCService) -> HTTP2ConnectionState.Limits {
        HTTP2ConnectionState.Limits(idle: idleTime ?? silence, head: handshake, keepAlive: grpc.keepAlive)
    }
}
