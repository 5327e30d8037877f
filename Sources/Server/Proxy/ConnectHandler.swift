package import HummingbirdCore
package import Logging
package import NIOCore

/// The first handler of a connection to the proxy. It reads one `CONNECT` request, then either replaces itself with
/// the tunnel's handlers or refuses.
///
/// The tunnel ends in this pipeline: the handlers of the TLS listener replace this one on the same connection. There
/// is no second socket to keep in step with the first. Half-closure, back-pressure and the shutdown signal reach the
/// server directly, and the server sees the client's own address.
final class ConnectHandler<Tunnel: Sendable>: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

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
    init(
        destinations: ConnectDestinations, timeout: TimeAmount, tunnel: EventLoopPromise<Tunnel>,
        join: @escaping () -> EventLoopFuture<Tunnel>
    ) {
        self.destinations = destinations
        self.timeout = timeout
        self.tunnel = tunnel
        self.join = join
        state = .reading(ConnectReader(destinations))
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

/// A connection to the proxy. After the client has requested a tunnel, it becomes a connection to `server`.
package struct ConnectChannel<TunnelEnd: ServerChildChannel>: ServerChildChannel {
    /// A connection, and the tunnel that it may become.
    package struct Value: ServerChildChannelValue {
        /// The connection.
        package let channel: any Channel
        /// The server's end of the tunnel; fails if no tunnel is opened.
        let tunnel: EventLoopFuture<TunnelEnd.Value>
    }

    private let destinations: ConnectDestinations
    private let timeout: TimeAmount
    private let server: TunnelEnd

    /// Creates the handlers of connections.
    ///
    /// - Parameters:
    ///   - destinations: The destinations of the tunnels that are opened.
    ///   - timeout: The time for the request's head.
    ///   - server: The server that tunnels lead to.
    package init(destinations: ConnectDestinations, timeout: TimeAmount, server: TunnelEnd) {
        self.destinations = destinations
        self.timeout = timeout
        self.server = server
    }

    /// Adds the handlers to a new connection.
    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let tunnel = channel.eventLoop.makePromise(of: TunnelEnd.Value.self)
            let handler = ConnectHandler(destinations: destinations, timeout: timeout, tunnel: tunnel) {
                server.setup(channel: channel, logger: logger)
            }
            do {
                try channel.pipeline.syncOperations.addHandler(handler)
            } catch {
                tunnel.fail(error)
                throw error
            }
            return Value(channel: channel, tunnel: tunnel.futureResult)
        }
    }

    /// Serves the tunnel of a connection.
    package func handle(value: Value, logger: Logger) async {
        await value.channel.closedOnCancellation {
            guard let tunnel = try? await value.tunnel.get() else { return }
            await server.handle(value: tunnel, logger: logger)
        }
    }
}
