import Metrics
import NIOCore
import NIOHTTP2

/// The HTTP/2 responses of one connection that wait until their client opens the flow-control windows (RFC 9113
/// §5.2).
///
/// All streams share one timer, which runs while there is a stream.
final class StreamWrites {
    private let period: TimeAmount
    private let eventLoop: any EventLoop
    private var streams: [ObjectIdentifier: StreamWriteHandler] = [:]
    private var timer: Scheduled<Void>?
    /// The response bytes that were written to the socket on any stream since the last check.
    private var taken = 0

    /// Creates an empty set of streams.
    ///
    /// - Parameter period: The interval between two checks.
    init(period: TimeAmount, eventLoop: any EventLoop) {
        self.period = period
        self.eventLoop = eventLoop
    }

    func add(_ stream: StreamWriteHandler) {
        streams[ObjectIdentifier(stream)] = stream
        if timer == nil { setTimer() }
    }

    func remove(_ stream: StreamWriteHandler) { streams[ObjectIdentifier(stream)] = nil }

    func take(_ count: Int) { taken += count }

    private func setTimer() {
        timer = eventLoop.assumeIsolated().scheduleTask(in: period) { self.look() }
    }

    private func look() {
        timer = nil
        let isConnectionMoving = taken >= WriteProgress.leastBytes
        taken = 0
        for stream in Array(streams.values) { stream.look(isConnectionMoving: isConnectionMoving) }
        if !streams.isEmpty { setTimer() }
    }
}

/// A handler that resets an HTTP/2 stream if the client does not read the response.
final class StreamWriteHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    /// The size of a piece of a response. The promise of each piece reports progress; a response in a single piece
    /// would show none.
    private static let pieceBytes = 16 * 1024
    /// The maximum number of checks without progress while the connection itself moves, because other streams may be
    /// served first.
    private static let mostQuietLooks = 15

    private let writes: StreamWrites
    private let connection: OpenConnection?
    private var progress = WriteProgress()
    private var taken = 0
    private var quietLooks = 0
    private var context: ChannelHandlerContext?

    init(writes: StreamWrites, connection: OpenConnection?) {
        self.writes = writes
        self.connection = connection
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        connection?.requestBegan()
        writes.add(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        connection?.requestEnded()
        writes.remove(self)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .data(let frame) = unwrapOutboundIn(data), case .byteBuffer(var bytes) = frame.data,
            bytes.readableBytes > 0
        else { return context.write(data, promise: promise) }
        while bytes.readableBytes > Self.pieceBytes, let piece = bytes.readSlice(length: Self.pieceBytes) {
            write(piece, endStream: false, context.eventLoop.makePromise(), context)
        }
        write(bytes, endStream: frame.endStream, promise ?? context.eventLoop.makePromise(), context)
    }

    private func write(
        _ bytes: ByteBuffer, endStream: Bool, _ promise: EventLoopPromise<Void>, _ context: ChannelHandlerContext
    ) {
        let count = bytes.readableBytes
        progress.write(count)
        promise.futureResult.assumeIsolated().whenSuccess {
            self.taken += count
            self.writes.take(count)
        }
        let frame = HTTP2Frame.FramePayload.Data(data: .byteBuffer(bytes), endStream: endStream)
        context.write(wrapOutboundOut(.data(frame)), promise: promise)
    }

    func look(isConnectionMoving: Bool) {
        guard case .stalled = progress.look(waiting: progress.written - taken) else {
            quietLooks = 0
            return
        }
        quietLooks += 1
        if !isConnectionMoving || quietLooks > Self.mostQuietLooks { reset() }
    }

    private func reset() {
        Counter(label: "pushgate_connections_closed_total", dimensions: [("reason", "not_reading")]).increment()
        context?.close(promise: nil)
    }
}
