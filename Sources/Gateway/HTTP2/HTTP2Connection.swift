import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP2
import NIOHTTPTypesHTTP2
import Synchronization

/// An HTTP/2 connection (RFC 9113) on which each stream carries one request.
///
/// It replaces Hummingbird's connection, which allows 200 resets in 30 s and has no setting for it. libcurl 7.88 (in
/// Debian 12, and used by its PHP) resets every stream after it has read the response, and would lose its connection
/// with the requests on it.
struct HTTP2Connection: ServerChildChannel {
    struct Value: ServerChildChannelValue {
        let channel: any Channel
        let streams: NIOHTTP2Handler.AsyncStreamMultiplexer<HTTP1Channel.Value>
        let work: HTTP2StreamWork
    }

    /// The handler of a stream's single request, the same as for the requests of an HTTP/1.1 connection.
    let requests: HTTP1Channel
    let limits: HTTP2ConnectionState.Limits
    /// The interval between two checks of responses that wait for their client.
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
            logger.debug("an HTTP/2 connection failed", metadata: ["error": "\(error)"])
        }
    }

    private var configuration: NIOHTTP2Handler.Configuration {
        var configuration = NIOHTTP2Handler.Configuration()
        // Resets of answered streams are not an attack, and HTTP2ConnectionState counts the others. So this limit is
        // set to a value that cannot be reached.
        configuration.stream.streamResetFrameRateLimit.maximumCount = 100
        configuration.stream.streamResetFrameRateLimit.windowLength = .nanoseconds(1)
        // The gateway reads nothing while the client does not read, so at most 100 responses wait.
        configuration.connection.maximumBufferedControlFrames = 1_000
        return configuration
    }
}

/// The number of a connection's requests in progress, including those on closed streams.
final class HTTP2StreamWork: Sendable {
    private struct State {
        var count = 0
        var onEnd: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    func begin() { state.withLock { $0.count += 1 } }

    func end() {
        let onEnd = state.withLock { state in
            state.count -= 1
            defer { state.onEnd = nil }
            return state.onEnd
        }
        onEnd?()
    }

    /// Returns `true` if at least `limit` requests are in progress. Then it calls `onEnd` at the end of the next
    /// request.
    func isAtLeast(_ limit: Int, onEnd: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard state.count >= limit else { return false }
            state.onEnd = onEnd
            return true
        }
    }
}
