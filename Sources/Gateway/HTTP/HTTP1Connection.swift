internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1

/// A connection with HTTP/1.1.
///
/// Hummingbird's own goes deaf behind a request with `Upgrade`, and leaves `Host`, HTTP/1.0 and the end of a connection to
/// others; its loop over the requests is used here too.
struct HTTP1Connection: HTTPChannelHandler {
    typealias Value = HTTP1Channel.Value

    let responder: HTTPChannelHandler.Responder
    let configuration: HTTP1Channel.Configuration
    let isOverTLS: Bool

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
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

    func handle(value: Value, logger: Logger) async { await handleHTTP(asyncChannel: value, logger: logger) }

    private var limits: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = configuration.httpDecoder.maxHeaderFieldSize
        limits.maxHeaderListSize = configuration.httpDecoder.maxHeaderListSize
        limits.maxHeaderFieldCount = configuration.httpDecoder.maxHeaderFieldCount
        return limits
    }
}
