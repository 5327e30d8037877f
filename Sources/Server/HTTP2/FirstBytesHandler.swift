package import NIOCore

/// The version of HTTP that a client speaks, by the first bytes of its connection.
enum FirstBytes: Equatable {
    /// The start of a client's HTTP/2 connection (RFC 9113 §3.4). No request of HTTP/1.1 begins with it.
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    case undecided
    case http1
    case http2

    init(_ bytes: ByteBufferView) {
        guard bytes.prefix(Self.preface.count).elementsEqual(Self.preface.prefix(bytes.count)) else {
            self = .http1
            return
        }
        self = bytes.count < Self.preface.count ? .undecided : .http2
    }
}

/// The first handler of a connection that carries HTTP/1.1, or HTTP/2 by prior knowledge. It holds the first bytes
/// back until they show which, and then replaces itself with the handlers of that version.
final class FirstBytesHandler<Connection: Sendable>: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private enum State {
        case reading(ByteBuffer)
        /// The handlers are being added; bytes that arrive in the meantime are for them.
        case joining(ByteBuffer)
        case joined
        case closed
    }

    private let limits: FirstBytesLimits
    private let connection: EventLoopPromise<Connection>
    private let join: (_ isHTTP2: Bool) -> EventLoopFuture<Connection>
    private var state = State.reading(ByteBuffer())
    private var deadline: Scheduled<Void>?

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - connection: The promise that succeeds after `join`, and fails if the connection ends before.
    ///   - join: A function that adds the handlers after this one.
    init(
        limits: FirstBytesLimits, connection: EventLoopPromise<Connection>,
        join: @escaping (_ isHTTP2: Bool) -> EventLoopFuture<Connection>
    ) {
        self.limits = limits
        self.connection = connection
        self.join = join
    }

    func handlerAdded(context: ChannelHandlerContext) { setDeadline(in: limits.silence, context) }

    func handlerRemoved(context: ChannelHandlerContext) { giveUp() }

    func channelInactive(context: ChannelHandlerContext) {
        giveUp()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        switch state {
        case .reading(var waiting):
            if waiting.readableBytes == 0 { setDeadline(in: limits.head, context) }
            waiting.writeImmutableBuffer(bytes)
            decide(waiting, context)
        case .joining(var waiting):
            waiting.writeImmutableBuffer(bytes)
            state = .joining(waiting)
        case .joined: context.fireChannelRead(data)
        case .closed: break
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // Servers leave a connection open whose client has closed its side: it could still wait for a response.
        let isEnd = event is ChannelShouldQuiesceEvent || event as? ChannelEvent == .inputClosed
        if case .reading = state, isEnd { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}

extension FirstBytesHandler {
    private func decide(_ waiting: ByteBuffer, _ context: ChannelHandlerContext) {
        let version = FirstBytes(waiting.readableBytesView)
        guard version != .undecided else { return state = .reading(waiting) }
        state = .joining(waiting)
        endDeadline()
        let loopBound = context.loopBound
        join(version == .http2).assumeIsolated().whenComplete { self.joined($0, loopBound.value) }
    }

    private func joined(_ result: Result<Connection, any Error>, _ context: ChannelHandlerContext) {
        guard case .joining(let waiting) = state, case .success(let connection) = result else {
            return context.close(promise: nil)
        }
        state = .joined
        self.connection.succeed(connection)
        context.fireChannelRead(wrapInboundOut(waiting))
        context.fireChannelReadComplete()
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }

    private func setDeadline(in time: TimeAmount, _ context: ChannelHandlerContext) {
        endDeadline()
        let loopBound = context.loopBound
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: time) { loopBound.value.close(promise: nil) }
    }

    private func endDeadline() {
        deadline?.cancel()
        deadline = nil
    }

    private func giveUp() {
        endDeadline()
        if case .joined = state { return }
        state = .closed
        connection.fail(ChannelError.eof)
    }
}

/// The time for the first bytes of a connection.
package struct FirstBytesLimits: Sendable {
    let silence: TimeAmount
    let head: TimeAmount

    /// Sets the limits.
    ///
    /// - Parameters:
    ///   - silence: The time without a byte.
    ///   - head: The time from the first byte to the last that decides the version.
    package init(silence: TimeAmount, head: TimeAmount) {
        self.silence = silence
        self.head = head
    }
}
