import Logging
import NIOCore
import NIOHTTP2

/// A handler between TLS and NIO's HTTP/2 handler. It closes a connection that must end, and limits reading to the
/// pace at which the client reads and the gateway finishes requests.
///
/// After a client's protocol error, NIO's handler sends GOAWAY and keeps all that arrives; it does not close the
/// connection.
final class HTTP2ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// The number of requests in progress on closed streams at which reading stops.
    static let maximumAbandoned = 100
    /// The time to deliver the last bytes to a client that does not read them. TLS waits the same time again for the
    /// client's end.
    private static let closingTime = TimeAmount.milliseconds(400)

    private var state: HTTP2ConnectionState
    private let work: HTTP2StreamWork
    private let presence: HTTP2ClientPresence
    private let logger: Logger
    private var end: HTTP2ConnectionEnd?
    private var isReadHeld = false
    private var timer: (scheduled: Scheduled<Void>, deadline: NIODeadline)?

    init(
        _ limits: HTTP2ConnectionState.Limits, _ work: HTTP2StreamWork, _ presence: HTTP2ClientPresence,
        at now: NIODeadline, logger: Logger
    ) {
        state = HTTP2ConnectionState(limits, at: now)
        self.work = work
        self.presence = presence
        self.logger = logger
    }

    func handlerAdded(context: ChannelHandlerContext) { updateTimer(context) }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.scheduled.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.scheduled.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard end == nil else { return }
        var bytes = unwrapInboundIn(data)
        let (length, action) = state.receive(bytes, at: context.eventLoop.now)
        if let accepted = bytes.readSlice(length: length) { context.fireChannelRead(wrapInboundOut(accepted)) }
        perform(action, context)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard end == nil, case .byteBuffer(let bytes) = unwrapOutboundIn(data) else {
            return context.write(data, promise: promise)
        }
        let action = state.send(bytes, at: context.eventLoop.now)
        guard action == .end(.connectionError) else {
            context.write(data, promise: promise)
            return perform(action, context)
        }
        // These bytes are the GOAWAY frame.
        let written = promise ?? context.eventLoop.makePromise()
        context.write(data, promise: written)
        end(.connectionError, after: written.futureResult, context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event)
        switch event {
        case ChannelEvent.inputClosed:
            presence.leave()
            perform(state.inputClosed(at: context.eventLoop.now), context)
        case is ChannelShouldQuiesceEvent: perform(state.stop(at: context.eventLoop.now), context)
        default: break
        }
    }
}

// MARK: Reading

extension HTTP2ConnectionHandler {
    func read(context: ChannelHandlerContext) {
        isReadHeld = !mayRead(context)
        if !isReadHeld { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        context.fireChannelWritabilityChanged()
        resumeReading(context)
    }

    private func mayRead(_ context: ChannelHandlerContext) -> Bool {
        end?.isMisuse != true && context.channel.isWritable && !isWorkAbandoned(context)
    }

    /// Returns `true` if too many requests on closed streams are in progress. They finish without further bytes from
    /// the client.
    private func isWorkAbandoned(_ context: ChannelHandlerContext) -> Bool {
        let (eventLoop, loopBound) = (context.eventLoop, context.loopBound)
        let loopBoundSelf = NIOLoopBound(self, eventLoop: eventLoop)
        return work.isAtLeast(state.streams.count + Self.maximumAbandoned) {
            eventLoop.execute { loopBoundSelf.value.resumeReading(loopBound.value) }
        }
    }

    private func resumeReading(_ context: ChannelHandlerContext) {
        if isReadHeld { read(context: context) }
    }
}

// MARK: Ending

extension HTTP2ConnectionHandler {
    private func perform(_ action: HTTP2ConnectionState.Action?, _ context: ChannelHandlerContext) {
        guard end == nil else { return }
        switch action {
        case .end(let end): sayGoAway(end, context)
        case .announceEnd: write(HTTP2FrameBytes.goAway(lastStream: .max) + HTTP2FrameBytes.ping, context)
        case .ping: write(HTTP2FrameBytes.ping, context)
        case nil: updateTimer(context)
        }
    }

    private func write(_ frames: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(ByteBuffer(bytes: frames))), promise: nil)
        updateTimer(context)
    }

    private func sayGoAway(_ end: HTTP2ConnectionEnd, _ context: ChannelHandlerContext) {
        let frame = HTTP2FrameBytes.goAway(
            lastStream: state.lastStream, code: end.isMisuse ? .enhanceYourCalm : .noError)
        let written = context.eventLoop.makePromise(of: Void.self)
        self.end(end, after: written.futureResult, context)
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(ByteBuffer(bytes: frame))), promise: written)
    }

    private func end(
        _ end: HTTP2ConnectionEnd, after written: EventLoopFuture<Void>, _ context: ChannelHandlerContext
    ) {
        self.end = end
        timer?.scheduled.cancel()
        let loopBound = context.loopBound
        let timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.closingTime) {
            loopBound.value.close(promise: nil)
        }
        self.timer = (timer, .distantPast)
        // Not immediately: inside the flush that wrote the frame, TLS could no longer write its close_notify.
        written.assumeIsolated().whenComplete { _ in
            loopBound.value.eventLoop.execute { loopBound.value.close(promise: nil) }
        }
        log(end, context)
    }

    private func log(_ end: HTTP2ConnectionEnd, _ context: ChannelHandlerContext) {
        logger.log(
            level: end.isMisuse ? .info : .debug, "closing an HTTP/2 connection",
            metadata: ["reason": "\(end)", "client": "\(context.remoteAddress?.ipAddress ?? "unknown")"])
    }

    /// Sets the timer for the next deadline. Deadlines mostly move to later times; the timer stays and checks again
    /// when it fires.
    private func updateTimer(_ context: ChannelHandlerContext) {
        let deadline = state.deadline
        guard end == nil, deadline < timer?.deadline ?? .distantFuture else { return }
        timer?.scheduled.cancel()
        let loopBound = context.loopBound
        let scheduled = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.timer = nil
            self.perform(self.state.timePassed(at: loopBound.value.eventLoop.now), loopBound.value)
        }
        timer = (scheduled, deadline)
    }
}
