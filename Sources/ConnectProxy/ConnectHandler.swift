package import NIOCore

/// The first handler of a connection to the proxy. It reads one `CONNECT` request, then either replaces itself with
/// the tunnel's handlers or refuses.
///
/// The tunnel ends in this pipeline: the handlers of the TLS listener replace this one on the same connection. There
/// is no second socket to keep in step with the first. Half-closure, back-pressure and the shutdown signal reach the
/// server directly, and the server sees the client's own address.
package final class ConnectHandler<Tunnel: Sendable>: ChannelInboundHandler, RemovableChannelHandler {
    /// The bytes of the connection.
    package typealias InboundIn = ByteBuffer
    /// The bytes of the tunnel.
    package typealias InboundOut = ByteBuffer
    /// The response to the request.
    package typealias OutboundOut = ByteBuffer

    private enum State {
        case reading(ConnectReader)
        /// The tunnel's handlers are being added; bytes that arrive in the meantime are for them.
        case joining(ByteBuffer)
        case joined
        /// The client was refused. Bytes that it still sends are dropped, so that a reset does not discard the
        /// response.
        case refused
    }

    private let destinations: ConnectDestinations
    private let timeout: TimeAmount
    private let tunnel: EventLoopPromise<Tunnel>
    private let join: () -> EventLoopFuture<Tunnel>
    private var state: State
    private var deadline: Scheduled<Void>?

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - destinations: The destinations of the tunnels that are opened.
    ///   - timeout: The time for the request's head, and then for a refused client to close the connection.
    ///   - tunnel: The promise that succeeds after `join`, and fails if no tunnel is opened.
    ///   - join: A function that adds the tunnel's handlers after this one.
    package init(
        destinations: ConnectDestinations, timeout: TimeAmount, tunnel: EventLoopPromise<Tunnel>,
        join: @escaping () -> EventLoopFuture<Tunnel>
    ) {
        self.destinations = destinations
        self.timeout = timeout
        self.tunnel = tunnel
        self.join = join
        state = .reading(ConnectReader(destinations))
    }

    /// Starts the time for the request.
    package func handlerAdded(context: ChannelHandlerContext) { startDeadline(context) }

    /// Fails the tunnel, unless it has begun.
    package func handlerRemoved(context: ChannelHandlerContext) { giveUp() }

    /// Fails the tunnel, unless it has begun.
    package func channelInactive(context: ChannelHandlerContext) {
        giveUp()
        context.fireChannelInactive()
    }

    /// Reads the request, or passes on what belongs to the tunnel.
    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
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

    /// Closes a connection without a tunnel when the client closes its side or the server stops.
    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
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
        let response = context.channel.allocator.buffer(
            string: refusal.response(hasBody: hasBody, purpose: destinations.purpose))
        context.writeAndFlush(wrapOutboundOut(response), promise: nil)
        context.close(mode: .output, promise: nil)
    }
}

// MARK: The tunnel

extension ConnectHandler {
    private func connect(_ rest: ByteBuffer, _ context: ChannelHandlerContext) {
        state = .joining(rest)
        deadline?.cancel()
        // RFC 9110 §9.3.6: the bytes after this head belong to the tunnel.
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

    // MARK: Deadlines

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
