import GRPC
import Logging
import NIOCore
import Signals

/// A handler that carries all streams of an HTTP/2 connection, without a channel for each.
///
/// nghttp2's session makes requests of the client's bytes, and bytes of responses. A state that sees the frames of both
/// directions decides when the connection must end. Reading keeps to the pace at which the client reads and the gateway
/// finishes requests.
final class HTTP2ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// The number of requests in progress on closed streams at which reading stops.
    static let maximumAbandoned = 100
    /// The time to deliver the last bytes to a client that does not read them. TLS waits the same time again for the
    /// client's end.
    private static let closingTime = TimeAmount.milliseconds(250)
    /// The number of bytes in one write, roughly.
    private static let piece = 64 * 1024
    /// The size up to which the memory of a write is kept for the next one.
    private static let keptMemory = 4 * 1024

    private let session: HTTP2ServerSession
    private var state: HTTP2ConnectionState
    private let services: StreamServices
    private let turns: LoopTurns
    private let work: HTTP2StreamWork
    /// The counted connection; `nil` in tests.
    private let connection: OpenConnection?
    private let logger: Logger
    private let writes: StreamWrites
    private var context: ChannelHandlerContext?
    /// The streams whose work starts after the present bytes.
    private var opened: [HTTP2Stream] = []
    /// The streams that have received bytes since the last end of reading.
    private var touched: [HTTP2Stream] = []
    /// The first part of a frame's header, which nghttp2 gets with the rest.
    private var partialHeader = ByteBuffer()
    private var output = ByteBuffer()
    private var isFlushing = false
    private var end: HTTP2ConnectionEnd?
    private var isReadHeld = false
    private var timer: (scheduled: Scheduled<Void>, deadline: NIODeadline)?

    init(
        _ session: HTTP2ServerSession, _ limits: HTTP2ConnectionState.Limits, _ services: StreamServices,
        _ turns: LoopTurns, _ work: HTTP2StreamWork, connection: OpenConnection?, writePeriod: TimeAmount,
        on eventLoop: any EventLoop, logger: Logger
    ) {
        self.session = session
        state = HTTP2ConnectionState(limits, at: eventLoop.now)
        self.services = services
        self.turns = turns
        self.work = work
        self.connection = connection
        self.logger = logger
        writes = StreamWrites(period: writePeriod, eventLoop: eventLoop, in: session)
        session.tell(self)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        turns.whenTurnEnds { handler.value.flush() }
        session.onFlush = { [weak self] in self?.flush() }
        if context.channel.isActive { flush() }
        updateTimer(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { close() }

    func channelActive(context: ChannelHandlerContext) {
        flush()
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        close()
        context.fireChannelInactive()
    }

    private func close() {
        context = nil
        services.access.client.leave()
        timer?.scheduled.cancel()
        writes.end()
        turns.close()
        session.onFlush = nil
        dropStreams()
    }

    /// Ends all streams. A connection that is ended for its misuse exists until its client has read why, or for half a
    /// second, and a client may have many of them.
    private func dropStreams() {
        session.closeAll()
        (opened, touched) = ([], [])
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event)
        switch event {
        case ChannelEvent.inputClosed:
            services.access.client.leave()
            perform(state.inputClosed(at: context.eventLoop.now), context)
        case is ChannelShouldQuiesceEvent:
            perform(state.stop(at: context.eventLoop.now), context)
            for stream in session.streams.values { stream.service?.stop() }
        default: break
        }
    }
}

// MARK: The client's bytes

extension HTTP2ConnectionHandler {
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard end == nil else { return }
        let now = context.eventLoop.now
        let bytes = unwrapInboundIn(data)
        let (length, action) = state.receive(bytes, at: now)
        // The requests of a read that is misuse cost nothing: a client may send a thousand of them, and come again.
        if case .end(let end)? = action, end.isMisuse { return perform(action, context) }
        let problem = passOn(bytes, length)
        let padding = state.receivePadding(frames: session.takePaddingFrames(), at: now)
        perform(action ?? padding ?? problem.map(HTTP2ConnectionState.Action.end), context)
    }

    /// Passes bytes to nghttp2 that the state has seen. The first part of a frame's header waits until it is whole.
    private func passOn(_ bytes: ByteBuffer, _ length: Int) -> HTTP2ConnectionEnd? {
        guard var passed = bytes.getSlice(at: bytes.readerIndex, length: length) else { return nil }
        let held = partialHeader.readableBytes
        if held > 0 {
            partialHeader.writeImmutableBuffer(passed)
            passed = partialHeader
        }
        // nghttp2 would drop requests that follow a GOAWAY, which does not forbid them.
        for position in state.takeGoAwayTypes() {
            let place = passed.readerIndex + held + position - bytes.readerIndex
            passed.setInteger(HTTP2FrameHeader.FrameType.ignored.rawValue, at: place)
        }
        // Copied, because a slice of these bytes would keep the memory of the whole read.
        let rest = state.partialHeaderBytes
        partialHeader = rest == 0 ? ByteBuffer() : ByteBuffer(bytes: passed.readableBytesView.suffix(rest))
        passed.moveWriterIndex(to: passed.writerIndex - rest)
        return passed.withUnsafeReadableBytes { session.receive($0) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        let touched = touched
        self.touched.removeAll(keepingCapacity: true)
        for stream in touched {
            stream.isTouched = false
            stream.service?.readComplete()
        }
        flush()
        startOpened()
        context.fireChannelReadComplete()
    }

    /// Starts the work of the streams that the last bytes have opened, and not also reset. nghttp2 says only by its
    /// GOAWAY that these bytes were an error.
    private func startOpened() {
        guard !opened.isEmpty else { return }
        if end == nil {
            for stream in opened { stream.service?.startWork() }
        }
        opened.removeAll(keepingCapacity: true)
    }

    private func touch(_ stream: HTTP2Stream) {
        guard !stream.isTouched else { return }
        stream.isTouched = true
        touched.append(stream)
    }
}

extension HTTP2ConnectionHandler: HTTP2SessionDelegate {
    func didOpen(_ stream: HTTP2Stream, _ head: HTTP2Fields, isWhole: Bool) {
        connection?.requestBegan()
        writes.begin()
        touch(stream)
        opened.append(stream)
        services.serve(stream, head, isWhole: isWhole)
        if state.drain != nil { stream.service?.stop() }
    }

    func didReceive(_ bytes: ByteBuffer, on stream: HTTP2Stream) {
        touch(stream)
        stream.receive(bytes)
    }

    func didSend(_ count: Int) { writes.take(count) }

    func didClose(_ stream: HTTP2Stream) { connection?.requestEnded() }
}

// MARK: Writing

extension HTTP2ConnectionHandler {
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        context.fireChannelWritabilityChanged()
        flush()
        resumeReading(context)
    }

    /// Writes the session's bytes for the client while the socket accepts them.
    private func flush() {
        guard let context, end == nil, !isFlushing else { return }
        isFlushing = true
        defer { isFlushing = false }
        while end == nil, context.channel.isWritable, writePiece(context) {}
        if end == nil { updateTimer(context) }
    }

    /// Writes one piece.
    ///
    /// - Returns: `false` if there was nothing to write.
    private func writePiece(_ context: ChannelHandlerContext) -> Bool {
        // Its own, because events arrive while the session writes.
        var bytes = ByteBuffer()
        swap(&bytes, &output)
        bytes.clear()
        let problem = session.write(into: &bytes, upTo: Self.piece)
        guard bytes.readableBytes > 0 else {
            output = bytes
            perform(problem.map(HTTP2ConnectionState.Action.end), context)
            return false
        }
        let action = state.send(bytes, at: context.eventLoop.now)
        let data = wrapOutboundOut(.byteBuffer(bytes))
        if bytes.capacity <= Self.keptMemory { output = bytes }
        if action == .end(.connectionError) {
            // These bytes end with the GOAWAY frame.
            let written = context.eventLoop.makePromise(of: Void.self)
            end(.connectionError, after: written.futureResult, context)
            context.writeAndFlush(data, promise: written)
        } else {
            context.writeAndFlush(data, promise: nil)
            perform(action ?? problem.map(HTTP2ConnectionState.Action.end), context)
        }
        return true
    }
}

// MARK: Reading

extension HTTP2ConnectionHandler {
    func read(context: ChannelHandlerContext) {
        isReadHeld = !mayRead(context)
        if !isReadHeld { context.read() }
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
        let frame = HTTP2FrameBytes.goAway(lastStream: state.lastStream, code: end.code)
        let written = context.eventLoop.makePromise(of: Void.self)
        self.end(end, after: written.futureResult, context)
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(ByteBuffer(bytes: frame))), promise: written)
    }

    private func end(
        _ end: HTTP2ConnectionEnd, after written: EventLoopFuture<Void>, _ context: ChannelHandlerContext
    ) {
        self.end = end
        if end.isMisuse { dropStreams() }
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
        guard end == nil, self.context != nil, deadline < timer?.deadline ?? .distantFuture else { return }
        timer?.scheduled.cancel()
        let loopBound = context.loopBound
        let scheduled = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.timer = nil
            self.perform(self.state.timePassed(at: loopBound.value.eventLoop.now), loopBound.value)
        }
        timer = (scheduled, deadline)
    }
}

extension HTTP2ConnectionEnd {
    fileprivate var code: HTTP2ErrorCode {
        switch self {
        case .connectionError: .protocolError
        case .tooManyResets, .tooManyFrames: .enhanceYourCalm
        case .done, .slowHead: .noError
        }
    }
}

extension StreamWrites {
    /// Creates the checks of a session's streams, which resets those whose client does not read.
    fileprivate convenience init(period: TimeAmount, eventLoop: any EventLoop, in session: HTTP2ServerSession) {
        self.init(period: period, eventLoop: eventLoop) { [weak session] isConnectionMoving in
            guard let session, !session.streams.isEmpty else { return false }
            for stream in session.streams.values where stream.pace.isStalled(isConnectionMoving: isConnectionMoving) {
                stream.reset(.cancel)
            }
            session.onFlush?()
            return true
        }
    }
}
