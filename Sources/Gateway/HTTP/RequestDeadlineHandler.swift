internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes

/// Ends requests whose client stops sending.
///
/// A request has to be complete a while after its first byte has come. When it is not, reading it fails, so that whoever
/// reads the body can still answer; a client that has not even finished its head is hung up on. Runs on the connection's
/// event loop, where setting and cancelling a timer costs little.
final class RequestDeadlineHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private let timeout: TimeAmount
    private var deadline: Scheduled<Void>?
    private var context: ChannelHandlerContext?

    init(timeout: TimeAmount) { self.timeout = timeout }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let pipeline = context.pipeline.syncOperations
        // A stream of HTTP/2 has no decoder of its own, and does not exist before its head.
        guard let decoder = try? pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self) else { return }
        do {
            // The decoder says nothing of a head until it has all of it.
            try pipeline.addHandler(RequestBeginningHandler(onBytes: begin), position: .before(decoder))
        } catch {
            context.fireErrorCaught(error)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        cancel()
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: begin()
        case .body: break
        case .end: cancel()
        }
        context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        cancel()
        context.fireChannelInactive()
    }

    private func begin() {
        guard deadline == nil, let context else { return }
        let loopBound = context.loopBound
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) {
            loopBound.value.fireErrorCaught(RequestTimedOut())
        }
    }

    private func cancel() {
        deadline?.cancel()
        deadline = nil
    }
}

/// Tells of every byte that comes in, before anybody makes sense of it.
private final class RequestBeginningHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let onBytes: () -> Void

    init(onBytes: @escaping () -> Void) { self.onBytes = onBytes }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        onBytes()
        context.fireChannelRead(data)
    }
}

/// The client took too long to send its request.
struct RequestTimedOut: Error {}
