import NIOCore
import NIOWebSocket

/// A handler for Firefox's WebSocket.
final class AutopushHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let broker: PushBroker
    private var session: AutopushSession
    /// The number of the browser's connection; `nil` before its first message.
    private var connection: Int?

    init(broker: PushBroker) {
        self.broker = broker
        self.session = AutopushSession(broker: broker)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text: act(on: session.receive(String(buffer: frame.unmaskedData)), context: context)
        case .ping: send(.pong, frame.unmaskedData, context: context)
        case .connectionClose: close(frame.unmaskedData, context: context)
        case .binary: close(code: .unacceptableData, context: context)
        default: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let connection, let id = session.userAgentID { broker.disconnect(id, connection: connection) }
        connection = nil
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is BrowserShutdownEvent { return close(code: .goingAway, context: context) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func act(on action: AutopushSession.Action, context: ChannelHandlerContext) {
        switch action {
        case .greet(let userAgentID): greet(userAgentID, context: context)
        case .answer(let text): send(text, context: context)
        case .ignore: break
        case .close: close(code: .protocolError, context: context)
        }
    }

    private func greet(_ userAgentID: String, context: ChannelHandlerContext) {
        let deliver = NIOLoopBound({ self.deliver(context: context) }, eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        connection = broker.connect(userAgentID) { eventLoop.execute { deliver.value() } }
        send(AutopushAnswer.hello(userAgentID: userAgentID).text, context: context)
        self.deliver(context: context)
    }

    private func deliver(context: ChannelHandlerContext) {
        guard let connection, let id = session.userAgentID else { return }
        for delivery in broker.take(id, connection: connection) {
            send(AutopushAnswer.notification(AutopushNotification(delivery)).text, context: context)
        }
    }
}

/// Frames to the browser (RFC 6455 §5).
extension AutopushHandler {
    private func send(_ text: String, context: ChannelHandlerContext) {
        send(.text, context.channel.allocator.buffer(string: text), context: context)
    }

    private func send(_ opcode: WebSocketOpcode, _ data: ByteBuffer, context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: opcode, data: data)), promise: nil)
    }

    /// Closes the connection, with the browser's own reason or one of the service.
    private func close(_ reason: ByteBuffer, context: ChannelHandlerContext) {
        let frame = WebSocketFrame(fin: true, opcode: .connectionClose, data: reason)
        let written = context.writeAndFlush(wrapOutboundOut(frame))
        written.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
    }

    private func close(code: WebSocketErrorCode, context: ChannelHandlerContext) {
        var reason = context.channel.allocator.buffer(capacity: 2)
        reason.write(webSocketErrorCode: code)
        close(reason, context: context)
    }
}
