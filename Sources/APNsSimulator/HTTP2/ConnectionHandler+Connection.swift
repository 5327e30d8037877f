import NIOCore
import NIOHTTP2

/// What concerns the connection rather than a stream.
extension ConnectionHandler {
    func windowUpdated(_ event: NIOHTTP2WindowUpdatedEvent, context: ChannelHandlerContext) {
        guard event.streamID == .rootStream, let window = event.inboundWindowSize else { return }
        replenishConnectionWindow(window, context: context)
    }

    func replenishConnectionWindow(_ window: Int, context: ChannelHandlerContext) {
        guard let increment = FlowControl.increment(from: window) else { return }
        send(.windowUpdate(windowSizeIncrement: increment), on: .rootStream, context: context)
    }

    func announceStreamLimit(with response: APNsResponse, context: ChannelHandlerContext) {
        if let limit = state.raisedStreamLimit(with: response) { announce(limit, context: context) }
    }

    /// Changes SETTINGS_MAX_CONCURRENT_STREAMS.
    func announce(_ limit: Int, context: ChannelHandlerContext) {
        let settings = [HTTP2Setting(parameter: .maxConcurrentStreams, value: limit)]
        send(.settings(.settings(settings)), on: .rootStream, context: context)
    }

    /// Sends what has been written; then closes, if the last answer before the end was among it. NIO tells of a stream's
    /// end before its last frame is sent, so that a close at that moment would lose it.
    func flush(context: ChannelHandlerContext) {
        context.flush()
        if state.isDraining, state.isIdle { context.close(promise: nil) }
    }

    /// Says goodbye, and closes when the last answer is out or the time is up.
    func shutDown(within gracePeriod: TimeAmount, context: ChannelHandlerContext) {
        drain(reason: nil, context: context)
        flush(context: context)
        context.eventLoop.assumeIsolated().scheduleTask(in: gracePeriod) { context.close(promise: nil) }
    }

    /// Sends GOAWAY, once; the connection closes when the last answer is out.
    func drain(reason: String?, context: ChannelHandlerContext) {
        guard state.startDraining() else { return }
        let frame = GoAwayFrame(lastStream: state.highestStream, reason: reason)
        let belowHTTP2 = try? context.pipeline.syncOperations.context(handlerType: NIOHTTP2Handler.self)
        belowHTTP2?.writeAndFlush(NIOAny(context.channel.allocator.buffer(bytes: frame.bytes)), promise: nil)
        responder.history.count { $0.goAwaysSent += 1 }
    }
}
