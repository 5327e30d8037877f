internal import Foundation
internal import Metrics
internal import NIOCore

/// Hangs up on clients that do not read.
///
/// It stands next to the socket, so it sees every listener's bytes, TLS records included. While nothing waits to be
/// written it costs an addition for each write.
final class WriteDeadlineHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// The connection as others see it.
    let connection: OpenConnection
    private let period: TimeAmount
    private var progress = WriteProgress()
    private var timer: Scheduled<Void>?

    /// - Parameter period: between two looks at what waits.
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
        // The kernel would go on offering its part of the answer for minutes.
        (context.channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
            .whenFailure { _ in }
        context.close(promise: nil)
    }
}

extension ChannelPipeline.SynchronousOperations {
    /// The connection as others see it; `nil` if nobody counts it.
    var openConnection: OpenConnection? { (try? handler(type: WriteDeadlineHandler.self))?.connection }
}
