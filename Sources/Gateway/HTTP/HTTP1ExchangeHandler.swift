internal import NIOCore
internal import NIOHTTP1

/// Keeps the rules of HTTP/1.1 between a connection's requests: refuses bad `Host` fields, answers HTTP/1.0 as it expects,
/// and closes the connection behind the last answer so that the answer arrives.
final class HTTP1ExchangeHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let progress: RequestProgress
    /// The connection, which is not idle while a request waits for its answer.
    private let connection: OpenConnection?
    private var exchanges = HTTP1Exchanges()
    private var lingering: LingeringClose?
    private var timer: Scheduled<Void>?

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

    /// Takes `Expect` from a request of HTTP/1.0, which does not know it (RFC 9110 §10.1.1).
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
        // The reader of requests has stopped asking for more.
        if lingering != nil { context.read() }
        context.fireChannelReadComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        let isEnd = event is ChannelShouldQuiesceEvent || event as? ChannelEvent == .inputClosed
        if lingering != nil, isEnd { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}

// MARK: Answers

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

// MARK: The end

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
        // The end of the last answer does it, when it has been written.
        if mode == .output, exchanges.isClosing { return promise?.succeed() ?? () }
        context.close(mode: mode, promise: promise)
    }
}
