import NIOCore
import NIOHPACK
import NIOHTTP2
import Signals

/// A handler that adds the handlers of an HTTP/2 stream after it has seen the request's head.
final class HTTP2StreamHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload

    private let presence: HTTP2ClientPresence
    private let addHandlers: (HPACKHeaders) throws -> Void
    private var hasBegun = false
    /// The client of the request, if something depends on its presence.
    private var caller: AwaitingCaller?

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - presence: The presence of the connection's client.
    ///   - addHandlers: A function that adds the handlers after this one.
    init(presence: HTTP2ClientPresence, addHandlers: @escaping (HPACKHeaders) throws -> Void) {
        self.presence = presence
        self.addHandlers = addHandlers
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        if let caller { presence.forget(caller) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !hasBegun, case .headers(let frame) = unwrapInboundIn(data) {
            hasBegun = true
            do {
                try addHandlers(frame.headers)
            } catch {
                return context.close(promise: nil)
            }
        }
        context.fireChannelRead(data)
    }

    /// Tells a caller when the client closes its side of the connection, until the stream ends. At the end of the
    /// stream, the task of its request is cancelled.
    func watch(_ caller: AwaitingCaller) {
        self.caller = caller
        presence.watch(caller)
    }
}
