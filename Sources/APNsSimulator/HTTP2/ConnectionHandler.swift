import NIOCore
import NIOHTTP2
import NIOTLS
import SimulatorTools

/// A handler for one HTTP/2 connection, which works on frames.
///
/// It uses `NIOHTTP2Handler` directly, without a channel for each stream. A push is two frames in and one or two frames
/// out, which does not justify a channel, and connection scripts need access to the frames.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// An event that the channel receives when the simulator shuts down.
    struct ShutdownEvent: Sendable {
        /// The time that requests in progress have left.
        let gracePeriod: TimeAmount
    }

    let responder: APNsResponder
    let requiresALPN: Bool
    let goAwayWatch: GoAwayWatch
    let socket: SocketHandler
    var state: ServerConnectionState
    /// `true` if the connection neither reads nor sends any more: it was rejected, stalled or broken.
    var isOver = false

    init(
        state: ServerConnectionState, responder: APNsResponder, requiresALPN: Bool, goAwayWatch: GoAwayWatch,
        socket: SocketHandler
    ) {
        self.state = state
        self.responder = responder
        self.requiresALPN = requiresALPN
        self.goAwayWatch = goAwayWatch
        self.socket = socket
    }

    func channelActive(context: ChannelHandlerContext) {
        responder.history.count {
            $0.connectionsOpened += 1
            $0.connectionsOpen += 1
            if socket.isStalled { $0.connectionsStalled += 1 }
        }
        replenishConnectionWindow(FlowControl.initialWindow, context: context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        responder.history.count { $0.connectionsOpen -= 1 }
        state.closeAll()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // NIO still delivers the frames of the last read.
        guard !isOver else { return }
        let frame = unwrapInboundIn(data)
        switch frame.payload {
        case .headers(let content): receiveHeaders(content, on: frame.streamID, context: context)
        case .data(let content): receiveData(content, on: frame.streamID, context: context)
        default: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        flush(context: context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let event as StreamClosedEvent: streamClosed(event)
        case let event as NIOHTTP2WindowUpdatedEvent: windowUpdated(event, context: context)
        case is NIOHTTP2StreamCreatedEvent: responder.history.count { $0.streams += 1 }
        case let event as ShutdownEvent: shutDown(within: event.gracePeriod, context: context)
        case .handshakeCompleted(let negotiated) as TLSUserEvent:
            if requiresALPN, negotiated != "h2" { turnAway(context: context) }
        default: break
        }
    }

    private func turnAway(context: ChannelHandlerContext) {
        isOver = true
        context.close(promise: nil)
    }

    /// Closes the connection, unless the error concerns one stream, which NIO has answered with RST_STREAM.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isOfHTTP2 = error is any NIOHTTP2Error || error is NIOHTTP2Errors.StreamError
        if !isOfHTTP2 || goAwayWatch.sawError { context.close(promise: nil) }
    }
}

/// Controls the connection: windows, SETTINGS and GOAWAY.
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

    /// Announces a new SETTINGS_MAX_CONCURRENT_STREAMS.
    func announce(_ limit: Int, context: ChannelHandlerContext) {
        let settings = [HTTP2Setting(parameter: .maxConcurrentStreams, value: limit)]
        send(.settings(.settings(settings)), on: .rootStream, context: context)
    }

    /// Flushes, then closes a draining connection whose last answer was among the flushed frames.
    ///
    /// NIO reports the end of a stream before its last frame is sent, so closing at that moment would lose the frame.
    func flush(context: ChannelHandlerContext) {
        context.flush()
        if state.isDraining, state.isIdle { context.close(promise: nil) }
    }

    /// Sends GOAWAY and closes after the last answer, or after the grace period.
    func shutDown(within gracePeriod: TimeAmount, context: ChannelHandlerContext) {
        drain(reason: nil, context: context)
        flush(context: context)
        context.eventLoop.assumeIsolated().scheduleTask(in: gracePeriod) { context.close(promise: nil) }
    }

    /// Sends GOAWAY, once. The connection closes after the last answer.
    func drain(reason: String?, context: ChannelHandlerContext) {
        guard state.startDraining() else { return }
        let frame = GoAwayFrame(lastStream: state.highestStream, reason: reason)
        let belowHTTP2 = try? context.pipeline.syncOperations.context(handlerType: NIOHTTP2Handler.self)
        belowHTTP2?.writeAndFlush(NIOAny(context.channel.allocator.buffer(bytes: frame.bytes)), promise: nil)
        responder.history.count { $0.goAwaysSent += 1 }
    }
}

/// Executes the connection's script.
extension ConnectionHandler {
    func carryOut(_ plan: RequestPlan, on stream: HTTP2StreamID, context: ChannelHandlerContext) {
        switch plan.fate {
        case .process, .leaveOut: break
        case .reset(let code): reset(stream, code, context: context)
        case .stall: return stall(context: context)
        case .break(let kind): return breakConnection(kind, context: context)
        }
        if let limit = plan.streamLimit { announce(limit, context: context) }
        if let goAway = plan.goAway { drain(reason: goAway.reason, context: context) }
    }

    func reset(_ stream: HTTP2StreamID, _ code: UInt32, context: ChannelHandlerContext) {
        let isRefused = code == ScriptedConnection.refusedStream
        responder.history.count { isRefused ? ($0.streamsRefused += 1) : ($0.streamsAborted += 1) }
        send(.rstStream(HTTP2ErrorCode(networkCode: Int(code))), on: stream, context: context)
    }

    /// Stops the connection. Answers that are already written are sent; delayed answers are dropped.
    private func stall(context: ChannelHandlerContext) {
        end(context: context) { $0.connectionsStalled += 1 }
        socket.stall()
    }

    func breakConnection(_ kind: ConnectionBreakage.Kind, context: ChannelHandlerContext) {
        end(context: context) { $0.connectionsBroken += 1 }
        socket.close(kind)
    }

    private func end(context: ChannelHandlerContext, count: (inout SimulatorCounters) -> Void) {
        guard !isOver else { return }
        isOver = true
        responder.history.count(count)
        context.flush()
        state.closeAll()
    }
}
