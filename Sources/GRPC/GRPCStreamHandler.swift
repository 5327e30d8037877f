package import NIOCore

/// A handler of one HTTP/2 stream that carries a call
/// ([gRPC over HTTP/2](https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md)).
///
/// It collects messages on the event loop, and only the method itself runs in a task. An answer leaves as one head,
/// its messages and the trailers, in one write.
package final class GRPCStreamHandler {
    /// A function that runs the work of a call in a task.
    package typealias Starter = @Sendable (_ work: @escaping @Sendable () async -> Void) -> Void
    /// A function that runs work on the event loop soon, and then sends what it has written.
    package typealias LoopRunner = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

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
    let onLoop: LoopRunner
    let eventLoop: any EventLoop
    let task = CallTask()
    var phase = Phase.head
    private var reader: MessageReader
    private var arrival: MessageArrival
    var isInputEnded = false
    var isHeadWritten = false
    private(set) var isReadHeld = false
    /// The work of a streaming method that has not started.
    var streamingWork: (@Sendable () async -> Void)?
    /// `true` if the task was cancelled because the server stops.
    var isStopped = false
    private var deadline: Scheduled<Void>?
    private var messageTimer: Scheduled<Void>?
    /// The stream; `nil` after its end.
    var stream: (any CallStream)?

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - router: The methods.
    ///   - isAwaited: A function that returns `false` once the client has closed its side of the connection.
    ///   - start: A function that runs the work of a call in a task.
    ///   - onLoop: A function that runs work on the event loop, and then sends what it has written.
    package init(
        router: @escaping GRPCRouter, limits: GRPCLimits, stream: any CallStream, eventLoop: any EventLoop,
        isAwaited: @escaping @Sendable () -> Bool, start: @escaping Starter, onLoop: @escaping LoopRunner
    ) {
        self.router = router
        self.limits = limits
        self.stream = stream
        self.eventLoop = eventLoop
        self.isAwaited = isAwaited
        self.start = start
        self.onLoop = onLoop
        reader = MessageReader(maximumBytes: limits.maximumMessageBytes, memory: limits.memory)
        arrival = MessageArrival(timeout: limits.messageTimeout, maximumBytes: limits.maximumMessageBytes)
    }

    /// Ends the work for a stream that the client has reset, that is complete, or whose connection is closed.
    package func close() {
        abandon()
        stream = nil
    }

    func abandon() {
        if case .streaming(let input, let output) = phase {
            input.fail(.cancelled)
            output.close()
        }
        phase = .over
        streamingWork = nil
        cancelTimers()
        task.cancel()
    }

    /// Ends a call whose client may send messages for ever, because the server stops. Other calls come to their own
    /// end.
    package func stop() {
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
    /// Begins the call with the head of its request.
    ///
    /// - Parameter isWhole: `true` if no message follows.
    package func begin(_ fields: HTTP2Fields, from peer: SocketAddress?, isWhole: Bool) {
        do throws(GRPCStatus) {
            if isWhole { isInputEnded = true }
            try open(fields, peer)
            if isWhole { try inputEnded() }
        } catch {
            end(error)
        }
    }

    private func open(_ fields: HTTP2Fields, _ peer: SocketAddress?) throws(GRPCStatus) {
        let now = eventLoop.now
        let call = try GRPCCall(fields, at: now, peer: peer, isAwaited: isAwaited)
        guard let method = router(call) else { throw .unimplemented("unknown method \(call.path)") }
        reader.isGzip = call.isGzip
        setDeadline(call.deadline)
        arrival.begin(at: now)
        switch method {
        case .unary(let method): phase = .collecting(method, call, nil)
        case .streaming(let method): run(method, call)
        case .refusal(let status): throw status
        }
    }

    /// Receives bytes of messages.
    ///
    /// - Returns: `false` if the client must not send more before ``CallStream/resumeReading()``.
    package func receive(_ bytes: ByteBuffer) -> Bool {
        if case .over = phase { return true }
        do throws(GRPCStatus) {
            arrival.receive(bytes.readableBytes)
            reader.receive(bytes)
            while let message = try reader.next() { try take(message) }
        } catch {
            end(error)
        }
        if case .streaming(let input, _) = phase { isReadHeld = input.isFull }
        return !isReadHeld
    }

    /// Ends the messages.
    package func endInput() {
        isInputEnded = true
        if case .over = phase { return }
        do throws(GRPCStatus) { try inputEnded() } catch { end(error) }
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

    private func inputEnded() throws(GRPCStatus) {
        guard !reader.isWithinMessage else { throw .invalidArgument("the last message is incomplete") }
        arrival.end()
        switch phase {
        case .collecting(let method, let call, let message?): run(method, message, call)
        case .collecting: throw .invalidArgument("the call has no message")
        case .streaming(let input, _): input.finish()
        case .head, .running, .over: break
        }
    }
}

// MARK: Reading

extension GRPCStreamHandler {
    func resumeReading() {
        guard isReadHeld else { return }
        isReadHeld = false
        stream?.resumeReading()
    }

    /// Notes that all bytes that have arrived so far have been received.
    package func readComplete() {
        // Mostly the whole message arrives at once, and there is no need for a timer.
        if !isInputEnded, reader.isWithinMessage { arrival.begin(at: eventLoop.now) }
        setMessageTimer()
    }

    private func setMessageTimer() {
        guard messageTimer == nil, let deadline = arrival.deadline, !isOver else { return }
        messageTimer = eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.checkMessage() }
    }

    private func checkMessage() {
        messageTimer = nil
        guard !isOver, let deadline = arrival.deadline else { return }
        // The method, not the client, holds up a message while reading is held.
        if isReadHeld { arrival.restart(at: eventLoop.now) }
        if !isReadHeld, deadline <= eventLoop.now { return endNow(.tooSlow) }
        setMessageTimer()
    }

    private func setDeadline(_ time: NIODeadline?) {
        guard let time else { return }
        deadline = eventLoop.assumeIsolated().scheduleTask(deadline: time) { self.expire() }
    }

    private func expire() {
        guard !isOver else { return }
        writeOutput()
        endNow(.deadlineExceeded)
    }

    /// Ends the call outside of a turn of the connection.
    private func endNow(_ status: GRPCStatus) {
        let stream = stream
        end(status)
        stream?.flush()
    }

    var isOver: Bool { if case .over = phase { true } else { false } }
}
