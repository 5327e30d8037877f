import NIOCore

/// A handler that requests a tunnel from a proxy, and gives way to TLS when it is open.
final class TunnelHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let start: (ChannelPipeline.SynchronousOperations) throws -> Void
    private let timeout: TimeAmount
    private var timer: Scheduled<Void>?
    private var reader = HTTP1AnswerReader()

    init(within timeout: TimeAmount, _ start: @escaping (ChannelPipeline.SynchronousOperations) throws -> Void) {
        self.timeout = timeout
        self.start = start
    }

    func channelActive(context: ChannelHandlerContext) {
        let bound = context.loopBound
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) { bound.value.close(promise: nil) }
        let authority = "\(FuzzTarget.name):443"
        let request = "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\r\n"
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: request)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        reader.append(&bytes)
        do {
            // An answer to CONNECT has no body, as one to HEAD (RFC 9110 §9.3.6).
            guard let answer = try reader.next(isHead: true) else { return }
            timer?.cancel()
            guard answer.status == 200 else { return context.close(promise: nil) }
            try start(context.pipeline.syncOperations)
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        } catch {
            context.close(promise: nil)
        }
    }
}
