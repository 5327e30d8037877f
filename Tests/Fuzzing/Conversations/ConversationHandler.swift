import NIOCore
import NIOTLS

/// A handler that holds a conversation on a connection.
final class ConversationHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var conversation: any Conversation
    private let startsWithHandshake: Bool
    private let handshakeTimeout: TimeAmount
    private let promise: EventLoopPromise<any Conversation>
    private var timer: Scheduled<Void>?
    private var lastWrite: EventLoopFuture<Void>?
    private var isFinished = false

    /// - Parameters:
    ///   - startsWithHandshake: `true` if a TLS handshake comes first.
    ///   - promise: The promise for the conversation at its end.
    init(
        _ conversation: any Conversation, startsWithHandshake: Bool, within handshakeTimeout: TimeAmount,
        promise: EventLoopPromise<any Conversation>
    ) {
        self.conversation = conversation
        self.startsWithHandshake = startsWithHandshake
        self.handshakeTimeout = handshakeTimeout
        self.promise = promise
    }

    func handlerAdded(context: ChannelHandlerContext) {
        guard !startsWithHandshake else { return setTimer(handshakeTimeout, context) }
        if context.channel.isActive { take(conversation.start(), context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        if !startsWithHandshake { take(conversation.start(), context) }
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted = event as? TLSUserEvent { take(conversation.start(), context) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if !isFinished { take(conversation.receive(&bytes), context) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !isFinished { take(conversation.close(), context) }
        context.fireChannelInactive()
    }

    /// Treats a reset, or TLS without an orderly end, as the end of the connection.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func take(_ steps: [ConversationStep], _ context: ChannelHandlerContext) {
        for step in steps where !isFinished {
            switch step {
            case .send(let bytes): lastWrite = context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)))
            case .halfClose: halfClose(context)
            case .wait(let time): setTimer(time, context)
            case .finish: finish(context)
            }
        }
    }

    /// Waits for unsent bytes, which a close would discard.
    private func halfClose(_ context: ChannelHandlerContext) {
        let bound = context.loopBound
        (lastWrite ?? context.eventLoop.makeSucceededVoidFuture()).assumeIsolated().whenComplete { _ in
            bound.value.close(mode: .output, promise: nil)
        }
    }

    private func setTimer(_ time: TimeAmount, _ context: ChannelHandlerContext) {
        timer?.cancel()
        let bound = context.loopBound
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { self.timeOut(bound.value) }
    }

    private func timeOut(_ context: ChannelHandlerContext) {
        if !isFinished { take(conversation.timeOut(), context) }
    }

    private func finish(_ context: ChannelHandlerContext) {
        isFinished = true
        timer?.cancel()
        promise.succeed(conversation)
        context.close(promise: nil)
    }
}
