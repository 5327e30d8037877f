import Foundation
import Metrics
import NIOCore

/// A handler that closes the connection of a client that does not read.
///
/// It is next to the socket, so it sees the bytes of every listener, including TLS records. While no bytes wait to be
/// sent, its cost is one addition for each write.
final class WriteDeadlineHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// The counted connection.
    let connection: OpenConnection
    private let period: TimeAmount
    private var progress = WriteProgress()
    private var timer: Scheduled<Void>?

    /// Creates a handler.
    ///
    /// - Parameter period: The interval between two checks.
    init(period: TimeAmount, connection: OpenConnection) {
        self.period = period
        self.connection = connection
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        progress.write(unwrapOutboundIn(data).readableBytes)
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        if timer == nil { setTimer(context) }
    }

    private func setTimer(_ context: ChannelHandlerContext) {
        let loopBound = context.loopBound
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: period) { self.look(loopBound.value) }
    }

    private func look(_ context: ChannelHandlerContext) {
        timer = nil
        let waiting = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
        switch progress.look(waiting: waiting ?? 0) {
        case .nothingWaits: break
        case .moves: setTimer(context)
        case .stalled: hangUp(context)
        }
    }

    private func hangUp(_ context: ChannelHandlerContext) {
        Counter(label: "pushgate_connections_closed_total", dimensions: [("reason", "not_reading")]).increment()
        // Without this option, the kernel would keep sending its part of the response for minutes.
        (context.channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
            .whenFailure { _ in }
        context.close(promise: nil)
    }
}

extension ChannelPipeline.SynchronousOperations {
    /// The counted connection of this channel; `nil` if the channel is not counted.
    var openConnection: OpenConnection? { (try? handler(type: WriteDeadlineHandler.self))?.connection }
}

/// The progress with which a peer reads the bytes sent to it.
///
/// A connection may be slow, but it must move: by each check, the peer must have read the bytes that waited at the
/// check before, or ``leastBytes`` of them.
struct WriteProgress {
    /// The number of bytes that the peer must read between two checks, if that number waits.
    static let leastBytes = 16 * 1024

    enum Pace: Equatable {
        case nothingWaits
        case moves
        case stalled
    }

    /// The total number of bytes written for the peer.
    private(set) var written = 0
    /// The bytes that the peer had read, and those that waited, at the last check.
    private var taken = 0
    private var waiting = 0

    mutating func write(_ count: Int) { written += count }

    /// Returns the peer's pace since the last check.
    ///
    /// - Parameter waiting: The number of written bytes that the peer has not read.
    mutating func look(waiting: Int) -> Pace {
        let takenSince = written - waiting - taken
        let expected = min(Self.leastBytes, self.waiting)
        (taken, self.waiting) = (written - waiting, waiting)
        if waiting == 0 { return .nothingWaits }
        return takenSince < expected ? .stalled : .moves
    }
}
