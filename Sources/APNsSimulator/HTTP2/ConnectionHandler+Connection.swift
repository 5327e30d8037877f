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
        guard let limit = state.raisedStreamLimit(with: response) else { return }
        let settings = [HTTP2Setting(parameter: .maxConcurrentStreams, value: limit)]
        send(.settings(.settings(settings)), on: .rootStream, context: context)
    }

    /// Sends what has been written; then closes, if the last answer before the end was among it. NIO tells of a stream's
    /// end before its last frame is sent, so that a close at that moment would lose it.
    func flush(context: ChannelHandlerContext) {
        context.flush()
        if state.isDraining, state.isIdle { context.close(promise: nil) }
    }

    /// Says goodbye (GOAWAY, RFC 9113 §6.8), and closes when the last answer is out or the time is up.
    func drain(within gracePeriod: TimeAmount, context: ChannelHandlerContext) {
        guard state.startDraining() else { return }
        let goAway = HTTP2Frame.FramePayload.goAway(
            lastStreamID: state.highestStream, errorCode: .noError, opaqueData: nil)
        send(goAway, on: .rootStream, context: context)
        flush(context: context)
        context.eventLoop.assumeIsolated().scheduleTask(in: gracePeriod) { context.close(promise: nil) }
    }
}
