package import NIOCore
import NIOHTTP1
package import NIOHTTPTypes

/// A handler that ends requests whose client stops sending.
///
/// A request must be complete within `timeout` after its first byte, plus one second for each 16 KiB of its body that
/// have arrived: photos from a phone need time, and a trickle earns none. After the deadline, reading the request
/// fails, so that the reader of the body can still respond; if even the head is incomplete, the connection is closed.
/// Bytes beyond the largest body that any endpoint reads do not extend the deadline: after an early response, the
/// rest is read and discarded, and could be endless. The handler runs on the connection's event loop, where setting
/// and cancelling a timer costs little.
package final class RequestDeadlineHandler: ChannelInboundHandler, RemovableChannelHandler {
    /// The parts of requests.
    package typealias InboundIn = HTTPRequestPart
    /// The parts of requests, which pass.
    package typealias InboundOut = HTTPRequestPart

    private let limits: RequestLimits
    private var present: RequestDeadline?
    private var timer: (deadline: NIODeadline, task: Scheduled<Void>)?
    /// `true` if the last response has been written. Bytes that still arrive belong to no request.
    private var isOver = false
    private var context: ChannelHandlerContext?

    package init(_ limits: RequestLimits) { self.limits = limits }

    /// Begins with the bytes that arrive from now on.
    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let pipeline = context.pipeline.syncOperations
        guard let decoder = try? pipeline.handler(type: ByteToMessageHandler<RequestDecoder>.self) else { return }
        do {
            // The decoder reports a head only after all of it has arrived.
            try pipeline.addHandler(RequestBeginningHandler(onBytes: begin), position: .before(decoder))
        } catch {
            context.fireErrorCaught(error)
        }
    }

    /// Ends the deadline of the present request, if there is one.
    package func handlerRemoved(context: ChannelHandlerContext) {
        cancel()
        self.context = nil
    }

    /// Counts and passes on a part of a request.
    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: begin()
        case .body(let bytes): present?.receive(bytes.readableBytes)
        case .end: present = nil
        }
        context.fireChannelRead(data)
    }

    /// Ends the deadline with the connection.
    package func channelInactive(context: ChannelHandlerContext) {
        cancel()
        context.fireChannelInactive()
    }

    /// Ends the deadline after the last response.
    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is LingeringBegan {
            isOver = true
            cancel()
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func begin() {
        guard present == nil, !isOver, let context else { return }
        present = RequestDeadline(limits, from: context.eventLoop.now)
        setTimer(context)
    }

    /// Sets the timer for the deadline. Bytes and further requests extend the deadline but not the timer, which would
    /// otherwise be set for each of them: it checks again when it fires.
    private func setTimer(_ context: ChannelHandlerContext) {
        guard let deadline = present?.time else { return }
        if let timer {
            guard timer.deadline > deadline else { return }
            timer.task.cancel()
        }
        let loopBound = context.loopBound
        let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.look(loopBound.value) }
        timer = (deadline, task)
    }

    private func look(_ context: ChannelHandlerContext) {
        timer = nil
        guard let deadline = present?.time else { return }
        if context.eventLoop.now < deadline { return setTimer(context) }
        context.fireErrorCaught(RequestTimedOut())
    }

    private func cancel() {
        timer?.task.cancel()
        timer = nil
        present = nil
    }
}

/// A handler that reports all received bytes before they are decoded.
private final class RequestBeginningHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let onBytes: () -> Void

    init(onBytes: @escaping () -> Void) { self.onBytes = onBytes }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        onBytes()
        context.fireChannelRead(data)
    }
}

/// The error that a client took too long to send its request.
struct RequestTimedOut: Error {}
