import GRPC
package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOHTTPTypesHTTP2
import Signals
import Synchronization

/// An HTTP/2 connection (RFC 9113) on which each stream carries one request, or one call of gRPC.
///
/// It replaces Hummingbird's connection, which allows 200 resets in 30 s and has no setting for it. libcurl 7.88 (in
/// Debian 12, and used by its PHP) resets every stream after it has read the response, and would lose its connection
/// with the requests on it.
package struct HTTP2Connection: ServerChildChannel {
    /// A connection and the tasks of its requests.
    package struct Value: ServerChildChannelValue {
        /// The connection.
        package let channel: any Channel
        let tasks: HTTP2StreamTasks
    }

    private let requests: HTTP1Channel
    private let grpc: GRPCService
    private let limits: HTTP2ConnectionState.Limits
    private let writePeriod: TimeAmount
    private let load = HTTP2Load()
    private let logger: Logger

    /// Creates the handlers of connections.
    ///
    /// - Parameters:
    ///   - requests: The handler of a stream's single request, the same as for the requests of an HTTP/1.1 connection.
    ///   - grpc: The methods of gRPC.
    ///   - writePeriod: The interval between two checks of responses that wait for their client.
    package init(
        requests: HTTP1Channel, grpc: GRPCService, limits: HTTP2ConnectionState.Limits, writePeriod: TimeAmount,
        logger: Logger
    ) {
        self.requests = requests
        self.grpc = grpc
        self.limits = limits
        self.writePeriod = writePeriod
        self.logger = logger
    }

    /// Adds the handlers to a new connection.
    package func setup(channel: any Channel, logger serverLogger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let (work, tasks) = (HTTP2StreamWork(), HTTP2StreamTasks())
            let presence = NIOLoopBound(HTTP2ClientPresence(), eventLoop: channel.eventLoop)
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(
                HTTP2ConnectionHandler(limits, work, presence.value, at: channel.eventLoop.now, logger: logger))
            let writes = NIOLoopBound(
                StreamWrites(period: writePeriod, eventLoop: channel.eventLoop), eventLoop: channel.eventLoop)
            let connection = pipeline.openConnection
            _ = try pipeline.configureHTTP2Pipeline(
                mode: .server, connectionConfiguration: configuration.connection,
                streamConfiguration: configuration.stream
            ) { stream in
                stream.eventLoop.makeCompletedFuture {
                    let handler = StreamWriteHandler(writes: writes.value, connection: connection)
                    try setup(stream, presence.value, handler) { request in
                        work.begin()
                        tasks.run {
                            await request()
                            work.end()
                        }
                    }
                }
            }
            // The streams are closed before their connection, so no request follows.
            channel.closeFuture.whenComplete { _ in tasks.finish() }
            return Value(channel: channel, tasks: tasks)
        }
    }

    private func setup(
        _ stream: any Channel, _ presence: HTTP2ClientPresence, _ writes: StreamWriteHandler,
        _ start: @escaping GRPCStreamHandler.Starter
    ) throws {
        let client = presence.client
        let choice = HTTP2StreamHandler(presence: presence) { head in
            if GRPCCall.isCall(head) {
                try stream.pipeline.syncOperations.addHandler(
                    grpc.handler(isAwaited: { client.isAwaiting }, start: start))
            } else {
                try serve(stream, start)
            }
        }
        try stream.pipeline.syncOperations.addHandlers(writes, choice)
    }

    private func serve(_ stream: any Channel, _ start: GRPCStreamHandler.Starter) throws {
        let pipeline = stream.pipeline.syncOperations
        try pipeline.addHandler(HTTP2FramePayloadToHTTPServerCodec())
        try pipeline.addHandlers(requests.configuration.additionalChannelHandlers())
        let value = try HTTP1Channel.Value(wrappingChannelSynchronously: stream)
        load.begin()
        start {
            defer { load.end() }
            if !stream.isActive, load.isHigh { return await drop(value) }
            await stream.cancellingOnClose { await requests.handle(value: value, logger: logger) }
        }
    }

    /// Ends a request that has not begun, on a stream that is closed.
    private func drop(_ value: HTTP1Channel.Value) async {
        // An error tells that the stream is closed.
        try? await value.executeThenClose { _, _ in }
    }

    /// Serves the requests of a connection.
    package func handle(value: Value, logger: Logger) async { await value.tasks.serve() }

    private var configuration: NIOHTTP2Handler.Configuration {
        var configuration = NIOHTTP2Handler.Configuration()
        // Resets of answered streams are not an attack, nor is the PING with which gRPC's clients for Go answer a DATA
        // frame, to measure the bandwidth. HTTP2ConnectionState counts both, so NIO's own limits are set to values
        // that cannot be reached.
        configuration.stream.streamResetFrameRateLimit.maximumCount = 100
        configuration.stream.streamResetFrameRateLimit.windowLength = .nanoseconds(1)
        configuration.connection.controlFrameRateLimit.maximumCount = 1_000_000
        configuration.connection.controlFrameRateLimit.windowLength = .nanoseconds(1)
        // The gateway reads nothing while the client does not read, so at most one response for each stream waits.
        configuration.connection.maximumBufferedControlFrames = 10 * grpc.maximumStreams
        configuration.connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: grpc.maximumStreams),
            HTTP2Setting(parameter: .maxHeaderListSize, value: HPACKDecoder.defaultMaxHeaderListSize),
        ]
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
