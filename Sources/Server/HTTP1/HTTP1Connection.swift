import HTTPTypes
import Hummingbird
package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTP1

/// An HTTP/1.1 connection.
///
/// Hummingbird's own connection reads nothing after a request with `Upgrade`, and does not handle `Host`, HTTP/1.0
/// and the orderly end of a connection. This one uses Hummingbird's loop over the requests. It does not use its
/// function that responds to one, which makes a logger with an id for each: the gateway's requests have another id.
package struct HTTP1Connection: HTTPChannelHandler {
    /// The requests and responses of a connection.
    package typealias Value = HTTP1Channel.Value

    /// The function that responds to a request.
    package let responder: HTTPChannelHandler.Responder
    private let configuration: HTTP1Channel.Configuration
    private let isOverTLS: Bool

    package init(
        respond: @escaping RequestResponder, configuration: HTTP1Channel.Configuration, isOverTLS: Bool, logger: Logger
    ) {
        responder = Self.responder(respond, logger)
        self.configuration = configuration
        self.isOverTLS = isOverTLS
    }

    private static func responder(
        _ respond: @escaping RequestResponder, _ logger: Logger
    ) -> HTTPChannelHandler.Responder {
        let date = ResponseDate()
        return { (request: Request, writer: consuming ResponseWriter, channel: any Channel) in
            var response: Response
            do {
                response = try await respond(
                    request, GatewayRequestContext(source: .init(channel: channel, logger: logger)))
            } catch let error as HTTPParserError {
                throw error
            } catch {
                logger.debug("failed to respond to a request", metadata: ["error": "\(error)"])
                response = Response(status: .internalServerError)
            }
            response.headers[.date] = date.text
            do {
                try await writer.write(response: response.head, body: response.body)
            } catch is HTTPParserError {
                throw RequestCutShort()
            }
        }
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

/// The error that a request cannot be read to its end while its response is written. The loop over the requests answers
/// a parser's own error, which must not follow the beginning of a response.
private struct RequestCutShort: Error {}
