import NIOCore
import NIOHTTP1
import Signals

/// A handler of the HTTP/1.1 rules between requests. It refuses invalid `Host` fields, answers HTTP/1.0 in the form
/// that it expects, and closes the connection after the last response so that the response arrives.
final class HTTP1ExchangeHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let progress: RequestProgress
    /// The counted connection, which is not idle while a request waits for its response.
    private let connection: OpenConnection?
    private var exchanges = HTTP1Exchanges()
    private var lingering: LingeringClose?
    private var timer: Scheduled<Void>?
    /// The client of the present request, if something depends on its presence.
    private var caller: AwaitingCaller?
    private var hasInputEnded = false

    init(progress: RequestProgress, connection: OpenConnection?) {
        self.progress = progress
        self.connection = connection
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        progress.note(part)
        guard lingering == nil else { return drop(part, context) }
        switch part {
        case .head(let head): receive(head, data, context)
        case .body: if exchanges.receiveBody() { context.fireChannelRead(data) }
        case .end: if exchanges.receiveEnd() { context.fireChannelRead(data) }
        }
    }

    private func receive(_ head: HTTPRequestHead, _ data: NIOAny, _ context: ChannelHandlerContext) {
        switch exchanges.receive(head) {
        case .forwarded:
            connection?.requestBegan()
            context.fireChannelRead(forwarded(head, data))
        case .refused(let refusal): write(refusal, context)
        case .dropped: break
        }
    }

    /// Removes `Expect` from an HTTP/1.0 request, where it has no meaning (RFC 9110 §10.1.1).
    private func forwarded(_ head: HTTPRequestHead, _ data: NIOAny) -> NIOAny {
        guard head.version.isOld, head.headers.contains(name: "expect") else { return data }
        var head = head
        head.headers.remove(name: "expect")
        return wrapInboundOut(.head(head))
    }

    private func drop(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
        let count = if case .body(let bytes) = part { bytes.readableBytes } else { 0 }
        if lingering?.receive(count) == false { context.close(promise: nil) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // The reader of requests no longer asks for more bytes.
        if lingering != nil { context.read() }
        context.fireChannelReadComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        let isEnd = event is ChannelShouldQuiesceEvent || event as? ChannelEvent == .inputClosed
        if event as? ChannelEvent == .inputClosed { endInput() }
        if lingering != nil, isEnd { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}

// MARK: The client's presence

extension HTTP1ExchangeHandler {
    /// Tells a caller when its client goes. A client that is killed ends its input like one that sends no more
    /// requests, so both count as gone.
    func watch(_ caller: AwaitingCaller) {
        self.caller = caller
        if hasInputEnded { caller.leave() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        endInput()
        context.fireChannelInactive()
    }

    private func endInput() {
        hasInputEnded = true
        caller?.leave()
    }
}

// MARK: Responses

extension HTTP1ExchangeHandler {
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            let isChanged = exchanges.prepare(&head)
            context.write(isChanged ? wrapOutboundOut(.head(head)) : data, promise: promise)
        case .body: context.write(data, promise: promise)
        case .end: writeEnd(data, promise, context)
        }
    }

    private func writeEnd(_ data: NIOAny, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
        connection?.requestEnded()
        caller = nil
        switch exchanges.finish() {
        case .goesOn: context.write(data, promise: promise)
        case .refusal(let refusal):
            context.write(data, promise: promise)
            write(refusal, context)
        case .closes: writeLast(data, promise, context)
        }
    }

    private func write(_ refusal: HTTP1Refusal, _ context: ChannelHandlerContext) {
        for part in refusal.parts(allocator: context.channel.allocator) {
            write(context: context, data: wrapOutboundOut(part), promise: nil)
        }
        _ = exchanges.finish()
        writeLast(wrapOutboundOut(.end(nil)), nil, context)
        context.flush()
    }

    private func writeLast(_ data: NIOAny, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
        let written = promise ?? context.eventLoop.makePromise()
        let loopBound = context.loopBound
        written.futureResult.assumeIsolated().whenSuccess { self.linger(loopBound.value) }
        context.write(data, promise: written)
    }
}

// MARK: The end of the connection

extension HTTP1ExchangeHandler {
    private func linger(_ context: ChannelHandlerContext) {
        guard lingering == nil, context.channel.isActive else { return }
        lingering = LingeringClose(at: context.eventLoop.now)
        context.close(mode: .output, promise: nil)
        context.fireUserInboundEventTriggered(LingeringBegan())
        context.read()
        setTimer(context)
    }

    private func setTimer(_ context: ChannelHandlerContext) {
        let loopBound = context.loopBound
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: LingeringClose.silence) {
            let context = loopBound.value
            if self.lingering?.readsOn(at: context.eventLoop.now) == true { return self.setTimer(context) }
            context.close(promise: nil)
        }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        // The last response closes the output itself, after it has been written.
        if mode == .output, exchanges.isClosing { return promise?.succeed() ?? () }
        context.close(mode: mode, promise: promise)
    }
}

/// The event that the last response of a connection has been written.
struct LingeringBegan {}

/// The period during which a connection is still read after its last response (RFC 9112 §9.6).
///
/// If the connection closed while bytes still arrive, a reset would discard the response before a client reads it
/// that first writes its whole request.
struct LingeringClose {
    /// The time without a byte after which reading stops.
    static let silence = TimeAmount.seconds(5)
    static let duration = TimeAmount.seconds(30)
    /// The maximum number of bytes to read: the size of a body that a client may still be sending.
    static let bytes = 64 * 1024 * 1024

    private let deadline: NIODeadline
    private var received = 0
    private var isSilent = true

    init(at now: NIODeadline) { deadline = now + Self.duration }

    /// Counts received bytes; returns `true` to continue to read.
    mutating func receive(_ count: Int) -> Bool {
        received += count
        isSilent = false
        return received <= Self.bytes
    }

    /// Checks the time, once in each ``silence``; returns `true` to continue to read.
    mutating func readsOn(at now: NIODeadline) -> Bool {
        defer { isSilent = true }
        return !isSilent && now < deadline
    }
}
