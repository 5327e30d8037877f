import Foundation
import NIOCore

/// The handler next to the socket, below TLS, which stalls or breaks a connection outside of any protocol.
final class SocketHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = IOData

    private(set) var isStalled: Bool
    private var context: ChannelHandlerContext?

    /// Creates a handler.
    ///
    /// - Parameter isStalled: `true` to read nothing from the beginning, so that the TLS handshake is not answered.
    init(isStalled: Bool) {
        self.isStalled = isStalled
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Stops reading and sending. The connection stays open until the client or the simulator closes it.
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

    /// Closes a stalled connection at shutdown. TLS would wait for a client that cannot answer.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if isStalled, event is ConnectionHandler.ShutdownEvent { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}
