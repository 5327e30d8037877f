internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP2
internal import NIOHTTPTypesHTTP2

/// An HTTP/2 connection (RFC 9113), each stream of which carries one request.
///
/// It replaces Hummingbird's, which allows 200 resets in 30 s and has no setting for it: libcurl 7.88 (Debian 12's, and so
/// PHP's there) resets every stream whose answer it has read, and would lose its connection with the requests on it.
struct HTTP2Connection: ServerChildChannel {
    struct Value: ServerChildChannelValue {
        let channel: any Channel
        let streams: NIOHTTP2Handler.AsyncStreamMultiplexer<HTTP1Channel.Value>
        let work: HTTP2StreamWork
    }

    /// Answers the one request of a stream, as it does the many of an HTTP/1.1 connection.
    let requests: HTTP1Channel
    let limits: HTTP2ConnectionState.Limits
    /// Between two looks at answers that wait for their client.
    let writePeriod: TimeAmount
    let logger: Logger

    func setup(channel: any Channel, logger serverLogger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let work = HTTP2StreamWork()
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(
                HTTP2ConnectionHandler(limits, work, at: channel.eventLoop.now, logger: logger))
            let writes = NIOLoopBound(
                StreamWrites(period: writePeriod, eventLoop: channel.eventLoop), eventLoop: channel.eventLoop)
            let connection = pipeline.openConnection
            let streams = try pipeline.configureAsyncHTTP2Pipeline(mode: .server, configuration: configuration) {
                setup(stream: $0, work, writes, connection)
            }
            return Value(channel: channel, streams: streams, work: work)
        }
    }

    private func setup(
        stream: any Channel, _ work: HTTP2StreamWork, _ writes: NIOLoopBound<StreamWrites>,
        _ connection: OpenConnection?
    ) -> EventLoopFuture<HTTP1Channel.Value> {
        stream.eventLoop.makeCompletedFuture {
            let pipeline = stream.pipeline.syncOperations
            try pipeline.addHandlers(
                StreamWriteHandler(writes: writes.value, connection: connection), HTTP2FramePayloadToHTTPServerCodec())
            try pipeline.addHandlers(requests.configuration.additionalChannelHandlers())
            let value = try HTTP1Channel.Value(wrappingChannelSynchronously: stream)
            work.begin()
            return value
        }
    }

    func handle(value: Value, logger: Logger) async {
        do {
            try await withThrowingDiscardingTaskGroup { group in
                for try await stream in value.streams.inbound {
                    group.addTask {
                        await stream.channel.cancellingOnClose { await requests.handle(value: stream, logger: logger) }
                        value.work.end()
                    }
                }
            }
        } catch {
            logger.debug("an HTTP/2 connection broke", metadata: ["error": "\(error)"])
        }
    }

    private var configuration: NIOHTTP2Handler.Configuration {
        var configuration = NIOHTTP2Handler.Configuration()
        // Resets of answered streams are no attack, and those of others are counted by HTTP2ConnectionState: this limit
        // cannot be reached.
        configuration.stream.streamResetFrameRateLimit.maximumCount = 100
        configuration.stream.streamResetFrameRateLimit.windowLength = .nanoseconds(1)
        // Nothing is read while the client does not read, so that no more than 100 answers wait.
        configuration.connection.maximumBufferedControlFrames = 1_000
        return configuration
    }
}
