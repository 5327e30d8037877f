import HummingbirdCore
package import Logging
package import NIOCore
import Signals
import Synchronization

/// An HTTP/2 connection (RFC 9113) on which each stream carries one request, or one call of gRPC.
///
/// It replaces Hummingbird's connection, which makes a channel for each stream, and allows 200 resets in 30 s without a
/// setting for it. libcurl 7.88 (in Debian 12, and used by its PHP) resets every stream after it has read the response,
/// and would lose its connection with the requests on it.
package struct HTTP2Connection: ServerChildChannel {
    /// A connection and the tasks of its requests.
    package struct Value: ServerChildChannelValue {
        /// The connection.
        package let channel: any Channel
        let tasks: HTTP2StreamTasks
    }

    private let requests: RequestService
    private let grpc: GRPCService
    private let limits: HTTP2ConnectionState.Limits
    private let writePeriod: TimeAmount
    private let logger: Logger

    /// Creates the handlers of connections.
    ///
    /// - Parameters:
    ///   - respond: A function that responds to the request of a stream.
    ///   - requests: The limits of each request.
    ///   - grpc: The methods of gRPC.
    ///   - writePeriod: The interval between two checks of responses that wait for their client.
    package init(
        respond: @escaping RequestResponder, requests: RequestLimits, grpc: GRPCService,
        limits: HTTP2ConnectionState.Limits, writePeriod: TimeAmount, logger: Logger
    ) {
        self.requests = RequestService(respond: respond, limits: requests, logger: logger)
        self.grpc = grpc
        self.limits = limits
        self.writePeriod = writePeriod
        self.logger = logger
    }

    /// Adds the handlers to a new connection.
    package func setup(channel: any Channel, logger serverLogger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            guard let session = HTTP2ServerSession(maximumStreams: grpc.maximumStreams) else { throw MemoryShortage() }
            let (work, tasks) = (HTTP2StreamWork(), HTTP2StreamTasks())
            let turns = LoopTurns(on: channel.eventLoop)
            let access = ConnectionAccess(
                channel: channel, client: AwaitingCaller(),
                start: { request in
                    work.begin()
                    tasks.run {
                        await request()
                        work.end()
                    }
                },
                onLoop: { turns.run($0) })
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(
                HTTP2ConnectionHandler(
                    session, limits, StreamServices(requests: requests, grpc: grpc, access: access), turns, work,
                    connection: pipeline.openConnection, writePeriod: writePeriod, on: channel.eventLoop,
                    logger: logger))
            // The streams are closed before their connection, so no request follows.
            channel.closeFuture.whenComplete { _ in tasks.finish() }
            return Value(channel: channel, tasks: tasks)
        }
    }

    /// Serves the requests of a connection.
    package func handle(value: Value, logger: Logger) async { await value.tasks.serve() }
}

/// The error that memory is too short for a connection.
private struct MemoryShortage: Error {}

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
