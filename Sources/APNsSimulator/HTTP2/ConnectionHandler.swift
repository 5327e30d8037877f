import NIOCore
import NIOHTTP2
import NIOTLS

/// Serves one HTTP/2 connection, frame by frame.
///
/// It stands directly on `NIOHTTP2Handler`, without a channel for every stream: a push is two frames in and one or two
/// out, which is not worth a channel, and connections that misbehave as scripted need the frames at hand.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// Told to the channel when the simulator shuts down.
    struct ShutdownEvent: Sendable {
        /// How long requests that are being answered may still take.
        let gracePeriod: TimeAmount
    }

    let responder: APNsResponder
    let requiresALPN: Bool
    let goAwayWatch: GoAwayWatch
    let socket: SocketHandler
    var state: ConnectionState
    /// Whether nothing more is to be heard or said: turned away, stalled or broken.
    var isOver = false

    init(
        state: ConnectionState, responder: APNsResponder, requiresALPN: Bool, goAwayWatch: GoAwayWatch,
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
        // What has come with the last bytes that were read is still delivered.
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

    /// An error of one stream has been answered by NIO with RST_STREAM, and the connection goes on; with any other it
    /// cannot.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isOfHTTP2 = error is any NIOHTTP2Error || error is NIOHTTP2Errors.StreamError
        if !isOfHTTP2 || goAwayWatch.sawError { context.close(promise: nil) }
    }
}
