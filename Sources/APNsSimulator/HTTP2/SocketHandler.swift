import Foundation
import NIOCore

/// The end of the pipeline at the socket, below TLS: it goes silent or breaks the connection as no protocol above would.
final class SocketHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = IOData

    private(set) var isStalled: Bool
    private var context: ChannelHandlerContext?

    /// - Parameter isStalled: whether nothing is read from the beginning, so that no TLS handshake is answered.
    init(isStalled: Bool) {
        self.isStalled = isStalled
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Reads and sends nothing from now on; the connection stays open until the client or the simulator goes.
    func stall() { isStalled = true }

    /// Closes the connection at once, without TLS's close_notify.
    func close(_ kind: ConnectionBreakage.Kind) {
        guard let context else { return }
        if kind == .reset, let socket = context.channel as? any SocketOptionProvider {
            // With a linger time of 0 close(2) sends RST in place of FIN (socket(7)).
            _ = socket.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        }
        context.close(promise: nil)
    }

    func read(context: ChannelHandlerContext) {
        if !isStalled { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !isStalled { context.fireChannelRead(data) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isStalled else { return context.write(data, promise: promise) }
        promise?.fail(ChannelError.outputClosed)
    }

    /// TLS would wait for a client that gets no answer.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if isStalled, event is ConnectionHandler.ShutdownEvent { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}
