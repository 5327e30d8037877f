internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP2
internal import NIOSSL

/// A connection over TLS that carries HTTP/2 or HTTP/1.1, as the two ends agree (ALPN, RFC 7301); without an agreement
/// HTTP/1.1. Nobody can hold it open by keeping silent.
struct TLSChannel: ServerChildChannel {
    struct Value: ServerChildChannelValue {
        let channel: any Channel
        let negotiated: EventLoopFuture<NIONegotiatedHTTPVersion<HTTP1Channel.Value, HTTP2Connection.Value>>
    }

    private let context: NIOSSLContext
    private let limits: TLSConnectionWatch.Limits
    private let http1: HTTP1Connection
    private let http2: HTTP2Connection
    private let logger: Logger

    /// - Parameters:
    ///   - requests: what holds for a connection with HTTP/1.1, and for each stream with HTTP/2.
    ///   - writePeriod: between two looks at answers on streams that wait for their client.
    init(
        certificate: ServerCertificate, limits: TLSConnectionWatch.Limits, requests: HTTP1Channel.Configuration,
        writePeriod: TimeAmount, responder: @escaping HTTPChannelHandler.Responder, logger: Logger
    ) throws {
        var configuration = certificate.tlsConfiguration
        configuration.applicationProtocols = NIOHTTP2SupportedALPNProtocols
        context = try NIOSSLContext(configuration: configuration)
        http1 = HTTP1Connection(responder: responder, configuration: requests, isOverTLS: true)
        http2 = HTTP2Connection(
            requests: HTTP1Channel(responder: responder, configuration: requests),
            limits: limits.http2(requests.idleTimeout), writePeriod: writePeriod, logger: logger)
        self.limits = limits
        self.logger = logger
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
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

    func handle(value: Value, logger: Logger) async {
        await value.channel.closedOnCancellation {
            switch try? await value.negotiated.get() {
            case .http1_1(let connection): await http1.handle(value: connection, logger: logger)
            case .http2(let connection): await http2.handle(value: connection, logger: logger)
            // No handshake: the watch has said why.
            case nil: break
            }
        }
    }
}

extension TLSConnectionWatch.Limits {
    /// A head gets the time of a handshake, as it does with HTTP/1.1.
    fileprivate func http2(_ idleTime: TimeAmount?) -> HTTP2ConnectionState.Limits {
        HTTP2ConnectionState.Limits(idle: idleTime ?? silence, head: handshake)
    }
}
