internal import NIOCore

/// The beginning of a connection to the proxy: takes one `CONNECT`, and makes way for the tunnel's contents or says why
/// not.
///
/// The tunnel leads no farther than this pipeline: the handlers of the TLS listener take the place of this one, on the same
/// connection. So there is no second socket to keep in step with the first: half-closing, back-pressure and the order to
/// stop reach the one who serves the requests without anybody between, who also sees the client's own address.
final class ConnectHandler<Tunnel: Sendable>: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum State {
        case reading(ConnectReader)
        /// The tunnel's handlers are being added; what comes meanwhile is for them.
        case joining(ByteBuffer)
        case joined
        /// It has been told why not; what it still sends is dropped, so that the answer is not lost to a reset.
        case refused
    }

    private let timeout: TimeAmount
    private let tunnel: EventLoopPromise<Tunnel>
    private let join: () -> EventLoopFuture<Tunnel>
    private var state = State.reading(ConnectReader())
    private var deadline: Scheduled<Void>?

    /// - Parameters:
    ///   - timeout: for the head, and then for a client that was refused to go away.
    ///   - tunnel: kept when `join` has succeeded, and failed when there will be no tunnel.
    ///   - join: adds the tunnel's handlers behind this one.
    init(timeout: TimeAmount, tunnel: EventLoopPromise<Tunnel>, join: @escaping () -> EventLoopFuture<Tunnel>) {
        self.timeout = timeout
        self.tunnel = tunnel
        self.join = join
    }

    func handlerAdded(context: ChannelHandlerContext) { startDeadline(context) }

    func handlerRemoved(context: ChannelHandlerContext) { giveUp() }

    func channelInactive(context: ChannelHandlerContext) {
        giveUp()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        switch state {
        case .reading(var reader):
            let outcome = reader.receive(bytes)
            state = .reading(reader)
            act(on: outcome, context)
        case .joining(var waiting):
            waiting.writeImmutableBuffer(bytes)
            state = .joining(waiting)
        case .joined: context.fireChannelRead(data)
        case .refused: break
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch (state, event) {
        case (.reading, is ChannelShouldQuiesceEvent), (.refused, is ChannelShouldQuiesceEvent),
            (.reading, ChannelEvent.inputClosed), (.refused, ChannelEvent.inputClosed):
            context.close(promise: nil)
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func act(on outcome: ConnectReader.Outcome, _ context: ChannelHandlerContext) {
        switch outcome {
        case .incomplete: break
        case .connect(let rest): connect(rest, context)
        case .refused(let refusal, let isHead): refuse(refusal, hasBody: !isHead, context)
        }
    }

    private func refuse(_ refusal: ConnectRefusal, hasBody: Bool, _ context: ChannelHandlerContext) {
        state = .refused
        startDeadline(context)
        let response = context.channel.allocator.buffer(string: refusal.response(hasBody: hasBody))
        context.writeAndFlush(wrapOutboundOut(response), promise: nil)
        context.close(mode: .output, promise: nil)
    }
}

// MARK: The tunnel

extension ConnectHandler {
    private func connect(_ rest: ByteBuffer, _ context: ChannelHandlerContext) {
        state = .joining(rest)
        deadline?.cancel()
        // RFC 9110 §9.3.6: what follows this head is the tunnel's.
        let response = context.channel.allocator.buffer(string: "HTTP/1.1 200 Connection established\r\n\r\n")
        context.writeAndFlush(wrapOutboundOut(response), promise: nil)
        let loopBound = context.loopBound
        join().assumeIsolated().whenComplete { self.joined($0, loopBound.value) }
    }

    private func joined(_ result: Result<Tunnel, any Error>, _ context: ChannelHandlerContext) {
        guard case .joining(let waiting) = state, case .success(let tunnel) = result else {
            return context.close(promise: nil)
        }
        state = .joined
        self.tunnel.succeed(tunnel)
        if waiting.readableBytes > 0 {
            context.fireChannelRead(wrapInboundOut(waiting))
            context.fireChannelReadComplete()
        }
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }

    // MARK: How long it may take

    private func startDeadline(_ context: ChannelHandlerContext) {
        deadline?.cancel()
        let loopBound = context.loopBound
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) { self.expire(loopBound.value) }
    }

    private func expire(_ context: ChannelHandlerContext) {
        if case .reading(let reader) = state, reader.hasBegun {
            refuse(.tooSlow, hasBody: true, context)
        } else {
            context.close(promise: nil)
        }
    }

    private func giveUp() {
        deadline?.cancel()
        if case .joined = state { return }
        state = .refused
        tunnel.fail(ChannelError.alreadyClosed)
    }
}
