package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTP1

/// An HTTP/1.1 connection.
///
/// Hummingbird's own connection reads nothing after a request with `Upgrade`, and does not handle `Host`, HTTP/1.0
/// and the orderly end of a connection. This one uses Hummingbird's loop over the requests.
package struct HTTP1Connection: HTTPChannelHandler {
    /// The requests and responses of a connection.
    package typealias Value = HTTP1Channel.Value

    /// The function that responds to a request.
    package let responder: HTTPChannelHandler.Responder
    private let configuration: HTTP1Channel.Configuration
    private let isOverTLS: Bool

    package init(
        responder: @escaping HTTPChannelHandler.Responder, configuration: HTTP1Channel.Configuration, isOverTLS: Bool
    ) {
        self.responder = responder
        self.configuration = configuration
        self.isOverTLS = isOverTLS
    }

    /// Adds the handlers to a new connection.
    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let progress = RequestProgress()
            try pipeline.addHandlers(
                HTTPResponseEncoder(),
                ByteToMessageHandler(RequestDecoder(limits: limits, progress: progress)),
                HTTP1ExchangeHandler(progress: progress, connection: pipeline.openConnection),
                HTTP1Codec(isSecure: isOverTLS))
            try pipeline.addHandlers(configuration.additionalChannelHandlers())
            try pipeline.addHandler(
                HTTPConnectionStateHandler(idleTimeout: configuration.idleTimeout.map { Duration($0) }, logger: logger))
            return try Value(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        }
    }

    /// Serves the connection.
    package func handle(value: Value, logger: Logger) async { await handleHTTP(asyncChannel: value, logger: logger) }

    private var limits: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = configuration.httpDecoder.maxHeaderFieldSize
        limits.maxHeaderListSize = configuration.httpDecoder.maxHeaderListSize
        limits.maxHeaderFieldCount = configuration.httpDecoder.maxHeaderFieldCount
        return limits
    }
}
