import NIOCore
import NIOHPACK
import NIOHTTP2

/// A handler that adds the handlers of an HTTP/2 stream after it has seen the request's head.
final class HTTP2StreamHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload

    private let addHandlers: (HPACKHeaders) throws -> Void
    private var hasBegun = false

    /// Creates a handler.
    ///
    /// - Parameter addHandlers: A function that adds the handlers after this one.
    init(addHandlers: @escaping (HPACKHeaders) throws -> Void) { self.addHandlers = addHandlers }

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
}
