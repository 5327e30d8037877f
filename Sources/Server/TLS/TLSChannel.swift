package import HummingbirdCore
package import Logging
package import NIOCore
package import NIOSSL
import NIOTLS

/// A TLS connection that carries HTTP/2 or HTTP/1.1, as negotiated (ALPN, RFC 7301), or HTTP/1.1 without a
/// negotiation. A silent client cannot keep it open.
package struct TLSChannel: ServerChildChannel {
    enum Connection: Sendable {
        case http1(HTTP1Connection.Value)
        case http2(HTTP2Connection.Value)
    }

    /// A connection whose version of HTTP is not negotiated yet.
    package struct Value: ServerChildChannelValue {
        /// The connection.
        package let channel: any Channel
        let negotiated: EventLoopFuture<Connection>
    }

    /// The names of the versions (RFC 9113 §3.2, RFC 7301 §6), the preferred one first.
    private static let protocols = [http2Name, http1Name]
    private static let http2Name = "h2"
    private static let http1Name = "http/1.1"

    private let context: NIOSSLContext
    private let limits: TLSConnectionLimits
    private let http1: HTTP1Connection
    private let http2: HTTP2Connection
    private let logger: Logger

    /// Creates the handlers of TLS connections.
    ///
    /// - Parameters:
    ///   - configuration: The versions and the certificate.
    ///   - requests: The settings for an HTTP/1.1 connection.
    ///   - requestLimits: The limits of each request over HTTP/2.
    ///   - grpc: The methods of gRPC.
    ///   - writePeriod: The interval between two checks of responses on streams that wait for their client.
    ///   - respond: The function that responds to a request.
    package init(
        _ configuration: TLSConfiguration, limits: TLSConnectionLimits, requests: HTTP1Channel.Configuration,
        requestLimits: RequestLimits, grpc: GRPCService, writePeriod: TimeAmount,
        respond: @escaping RequestResponder, logger: Logger
    ) throws {
        var configuration = configuration
        configuration.applicationProtocols = Self.protocols
        context = try NIOSSLContext(configuration: configuration)
        http1 = HTTP1Connection(respond: respond, configuration: requests, isOverTLS: true, logger: logger)
        http2 = HTTP2Connection(
            respond: respond, requests: requestLimits, grpc: grpc, limits: limits.http2(requests.idleTimeout, grpc),
            writePeriod: writePeriod, logger: logger)
        self.limits = limits
        self.logger = logger
    }

    /// Adds the handlers to a new connection.
    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let negotiation = NIOTypedApplicationProtocolNegotiationHandler<Connection> { result in
                setup(channel, result, logger)
            }
            try channel.pipeline.syncOperations.addHandlers(
                NIOSSLServerHandler(context: context), IdleStateHandler(allTimeout: limits.silence),
                TLSConnectionWatch(limits, self.logger), negotiation)
            return Value(channel: channel, negotiated: negotiation.protocolNegotiationResult)
        }
    }

    /// Adds the handlers of the negotiated version.
    private func setup(_ channel: any Channel, _ result: ALPNResult, _ logger: Logger) -> EventLoopFuture<Connection> {
        if case .negotiated(Self.http2Name) = result {
            return http2.setup(channel: channel, logger: logger).map { Connection.http2($0) }
        }
        return http1.setup(channel: channel, logger: logger).map { Connection.http1($0) }
    }

    /// Serves the connection.
    package func handle(value: Value, logger: Logger) async {
        await value.channel.closedOnCancellation {
            switch try? await value.negotiated.get() {
            case .http1(let connection): await http1.handle(value: connection, logger: logger)
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
