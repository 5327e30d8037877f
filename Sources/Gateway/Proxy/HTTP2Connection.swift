internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP2
internal import NIOHTTPTypesHTTP2

/// A connection with HTTP/2 (RFC 9113), each stream of which carries one request.
///
/// Hummingbird's own would do, if it let the limit on resets be set: libcurl 7.88 (Debian 12's, and so PHP's there) resets
/// every stream whose answer it has read, and loses its connection, with what is on it, after NIO's default of 200 in 30 s.
struct HTTP2Connection: ServerChildChannel {
    struct Value: ServerChildChannelValue {
        let channel: any Channel
        let streams: NIOHTTP2Handler.AsyncStreamMultiplexer<HTTP1Channel.Value>
    }

    /// Answers what comes on a stream, which is one request as HTTP/1.1 has several.
    let requests: HTTP1Channel

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let streams = try channel.pipeline.syncOperations.configureAsyncHTTP2Pipeline(
                mode: .server, connectionManagerConfiguration: management, http2HandlerConfiguration: configuration
            ) { stream in
                setup(stream: stream, logger)
            }
            return Value(channel: channel, streams: streams)
        }
    }

    private func setup(stream: any Channel, _ logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        stream.eventLoop.makeCompletedFuture {
            let pipeline = stream.pipeline.syncOperations
            try pipeline.addHandler(HTTP2FramePayloadToHTTPServerCodec())
            try pipeline.addHandlers(requests.configuration.additionalChannelHandlers())
            return try HTTP1Channel.Value(wrappingChannelSynchronously: stream)
        }
    }

    func handle(value: Value, logger: Logger) async {
        do {
            try await withThrowingDiscardingTaskGroup { group in
                for try await stream in value.streams.inbound {
                    group.addTask { await requests.handle(value: stream, logger: logger) }
                }
            }
        } catch {
            logger.debug("a connection with HTTP/2 broke", metadata: ["error": "\(error)"])
        }
    }

    /// Says GOAWAY to a connection that is idle for as long as one with HTTP/1.1 may be, and to all when the server stops.
    private var management: NIOHTTP2ServerConnectionManagementHandler.Configuration {
        .init(maxIdleTime: requests.configuration.idleTimeout, maxAge: nil, maxGraceTime: nil, keepalive: nil)
    }

    private var configuration: NIOHTTP2Handler.Configuration {
        var configuration = NIOHTTP2Handler.Configuration()
        // More than a client can do by answers alone; few enough that opening and resetting streams gains an attacker
        // nothing over plain requests (CVE-2023-44487).
        configuration.stream.streamResetFrameRateLimit.maximumCount = 60_000
        return configuration
    }
}
