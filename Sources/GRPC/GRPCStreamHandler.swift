package import NIOCore
import NIOHPACK
package import NIOHTTP2

/// A handler of one HTTP/2 stream that carries a call
/// ([gRPC over HTTP/2](https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md)).
///
/// It collects messages on the event loop, and only the method itself runs in a task. An answer leaves as one head,
/// its messages and the trailers, with one flush.
package final class GRPCStreamHandler: ChannelDuplexHandler {
    package typealias InboundIn = HTTP2Frame.FramePayload
    package typealias OutboundIn = HTTP2Frame.FramePayload
    package typealias OutboundOut = HTTP2Frame.FramePayload

    /// A function that runs the work of a call in a task.
    package typealias Starter = @Sendable (_ work: @escaping @Sendable () async -> Void) -> Void

    enum Phase {
        case head
        /// The message of a unary call is incomplete.
        case collecting(GRPCMethod.Unary, GRPCCall, ReceivedMessage?)
        /// A unary method runs.
        case running
        case streaming(MessageInput, MessageOutput)
        /// The status has been written, or the stream is closed.
        case over
    }

    private let router: GRPCRouter
    private let limits: GRPCLimits
    private let isAwaited: @Sendable () -> Bool
    let start: Starter
    let task = CallTask()
    var phase = Phase.head
    private var reader: MessageReader
    private var arrival: MessageArrival
    var isInputEnded = false
    var isHeadWritten = false
    var isReadHeld = false
    /// `true` if the task was cancelled because the server stops.
    var isStopped = false
    private var deadline: Scheduled<Void>?
    private var messageTimer: Scheduled<Void>?
    var context: ChannelHandlerContext?

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - router: The methods.
    ///   - isAwaited: A function that returns `false` once the client has closed its side of the connection.
    ///   - start: A function that runs the work of a call in a task.
    package init(
        router: @escaping GRPCRouter, limits: GRPCLimits, isAwaited: @escaping @Sendable () -> Bool,
        start: @escaping Starter
    ) {
        self.router = router
        self.limits = limits
        self.isAwaited = isAwaited
        self.start = start
        reader = MessageReader(maximumBytes: limits.maximumMessageBytes, memory: limits.memory)
        arrival = MessageArrival(timeout: limits.messageTimeout, maximumBytes: limits.maximumMessageBytes)
    }

    package func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    package func handlerRemoved(context: ChannelHandlerContext) {
        abandon()
        self.context = nil
    }

    package func channelInactive(context: ChannelHandlerContext) {
        abandon()
        context.fireChannelInactive()
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { stop() }
        context.fireUserInboundEventTriggered(event)
    }

    /// Ends the work for a stream that the client has reset, or whose connection is closed.
    func abandon() {
        if case .streaming(let input, let output) = phase {
            input.fail(.cancelled)
            output.close()
        }
        phase = .over
        cancelTimers()
        task.cancel()
    }

    /// Ends a call whose client may send messages for ever. Other calls come to their own end.
    private func stop() {
        guard case .streaming = phase, !isInputEnded else { return }
        isStopped = true
        task.cancel()
    }

    private func cancelTimers() {
        deadline?.cancel()
        messageTimer?.cancel()
        (deadline, messageTimer) = (nil, nil)
    }
}

// MARK: The request

extension GRPCStreamHandler {
    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        do throws(GRPCStatus) {
            switch unwrapInboundIn(data) {
            case .headers(let frame): try receive(frame, context)
            case .data(let frame): try receive(frame, context)
            default: break
            }
        } catch {
            end(error, context)
        }
    }

    private func receive(
        _ frame: HTTP2Frame.FramePayload.Headers, _ context: ChannelHandlerContext
    ) throws(GRPCStatus) {
        if frame.endStream { isInputEnded = true }
        if case .head = phase { try begin(frame, context) }
        if frame.endStream { try inputEnded(context) }
    }

    private func begin(_ frame: HTTP2Frame.FramePayload.Headers, _ context: ChannelHandlerContext) throws(GRPCStatus) {
        let now = context.eventLoop.now
        let call = try GRPCCall(
            frame.headers, at: now, peer: context.channel.remoteAddress, isAwaited: isAwaited)
        guard let method = router(call) else { throw .unimplemented("unknown method \(call.path)") }
        reader.isGzip = call.isGzip
        setDeadline(call.deadline, context)
        arrival.begin(at: now)
        switch method {
        case .unary(let method): phase = .collecting(method, call, nil)
        case .streaming(let method): run(method, call, context)
        case .refusal(let status): throw status
        }
    }

    private func receive(_ frame: HTTP2Frame.FramePayload.Data, _ context: ChannelHandlerContext) throws(GRPCStatus) {
        if frame.endStream { isInputEnded = true }
        if case .over = phase { return }
        if case .byteBuffer(let bytes) = frame.data, bytes.readableBytes > 0 {
            arrival.receive(bytes.readableBytes)
            reader.receive(bytes)
            while let message = try reader.next() { try take(message) }
        }
        if frame.endStream { try inputEnded(context) }
    }

    private func take(_ message: ReceivedMessage) throws(GRPCStatus) {
        switch phase {
        case .collecting(let method, let call, nil): phase = .collecting(method, call, message)
        case .collecting: throw .invalidArgument("a call of this method has one message")
        case .streaming(let input, _):
            input.receive(message)
            arrival.end()
        case .head, .running, .over: break
        }
    }

    private func inputEnded(_ context: ChannelHandlerContext) throws(GRPCStatus) {
        guard !reader.isWithinMessage else { throw .invalidArgument("the last message is incomplete") }
        arrival.end()
        switch phase {
        case .collecting(let method, let call, let message?): run(method, message, call, context)
        case .collecting: throw .invalidArgument("the call has no message")
        case .streaming(let input, _): input.finish()
        case .head, .running, .over: break
        }
    }
}

// MARK: Reading

extension GRPCStreamHandler {
    package func read(context: ChannelHandlerContext) {
        if case .streaming(let input, _) = phase, input.isFull {
            isReadHeld = true
        } else {
            context.read()
        }
    }

    func resumeReading() {
        guard isReadHeld, let context else { return }
        isReadHeld = false
        context.read()
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        // Mostly the whole message arrives at once, and there is no need for a timer.
        if !isInputEnded, reader.isWithinMessage { arrival.begin(at: context.eventLoop.now) }
        setMessageTimer(context)
        context.fireChannelReadComplete()
    }

    private func setMessageTimer(_ context: ChannelHandlerContext) {
        guard messageTimer == nil, let deadline = arrival.deadline, !isOver else { return }
        messageTimer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.checkMessage() }
    }

    private func checkMessage() {
        messageTimer = nil
        guard let context, !isOver, let deadline = arrival.deadline else { return }
        // The method, not the client, holds up a message while reading is held.
        if isReadHeld { arrival.restart(at: context.eventLoop.now) }
        if !isReadHeld, deadline <= context.eventLoop.now { return end(.tooSlow, context) }
        setMessageTimer(context)
    }

    private func setDeadline(_ time: NIODeadline?, _ context: ChannelHandlerContext) {
        guard let time else { return }
        deadline = context.eventLoop.assumeIsolated().scheduleTask(deadline: time) { self.expire() }
    }

    private func expire() {
        guard let context, !isOver else { return }
        writeOutput()
        if !isOver { end(.deadlineExceeded, context) }
    }

    var isOver: Bool { if case .over = phase { true } else { false } }
}
