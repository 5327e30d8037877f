internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes

/// Ends requests whose client stops sending.
///
/// A request has to be complete a while after its first byte has come, and a second later for each 16 KiB of its body that
/// have: photos from a phone take their time, and a trickle does not buy any. When it is not, reading it fails, so that
/// whoever reads the body can still answer; a client that has not even finished its head is hung up on. What comes beyond
/// the largest body that anybody reads buys nothing: after an early answer the rest is read and thrown away, and could
/// come without end. Runs on the connection's event loop, where setting and cancelling a timer costs little.
final class RequestDeadlineHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    /// The slowest pace at which a body may come, in bytes a second.
    private static let slowestPace = 16 * 1024

    private let timeout: TimeAmount
    private let largestBody: Int
    private var start: NIODeadline?
    /// Of the body, in bytes, as far as they count.
    private var received = 0
    private var timer: (deadline: NIODeadline, task: Scheduled<Void>)?
    /// A Boolean value indicating whether the last answer has been written: what still comes is nobody's request.
    private var isOver = false
    private var context: ChannelHandlerContext?

    /// - Parameter largestBody: so many bytes of a body move the deadline, and no more.
    init(timeout: TimeAmount, largestBody: Int) {
        self.timeout = timeout
        self.largestBody = largestBody
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let pipeline = context.pipeline.syncOperations
        // A stream of HTTP/2 has no decoder of its own, and does not exist before its head.
        guard let decoder = try? pipeline.handler(type: ByteToMessageHandler<RequestDecoder>.self) else { return }
        do {
            // The decoder says nothing of a head until it has all of it.
            try pipeline.addHandler(RequestBeginningHandler(onBytes: begin), position: .before(decoder))
        } catch {
            context.fireErrorCaught(error)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        cancel()
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: begin()
        case .body(let bytes): received = min(received + bytes.readableBytes, largestBody)
        case .end: start = nil
        }
        context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        cancel()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is LingeringBegan {
            isOver = true
            cancel()
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func begin() {
        guard start == nil, !isOver, let context else { return }
        start = context.eventLoop.now
        received = 0
        setTimer(context)
    }

    private var deadline: NIODeadline? {
        start.map { $0 + timeout + Self.allowance(for: received) }
    }

    private static func allowance(for bytes: Int) -> TimeAmount {
        let (seconds, rest) = bytes.quotientAndRemainder(dividingBy: slowestPace)
        return .seconds(Int64(seconds)) + .nanoseconds(Int64(rest * 1_000_000_000 / slowestPace))
    }

    /// Bytes and further requests move the deadline on, and not the timer, of which there would be as many: it looks again
    /// when it fires.
    private func setTimer(_ context: ChannelHandlerContext) {
        guard let deadline else { return }
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
        guard let deadline else { return }
        if context.eventLoop.now < deadline { return setTimer(context) }
        context.fireErrorCaught(RequestTimedOut())
    }

    private func cancel() {
        timer?.task.cancel()
        timer = nil
        start = nil
    }
}

/// Tells of every byte that comes in, before anybody makes sense of it.
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

/// The client took too long to send its request.
struct RequestTimedOut: Error {}
