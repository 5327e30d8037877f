import JSON
import NIOCore
import NIOHTTP1

/// A handler for one connection to the control address. NIO's pipeline passes on one request at a time.
final class ControlHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// An event that the channel receives when the simulator shuts down.
    struct ShutdownEvent: Sendable {}

    /// The largest body of a request, in bytes.
    static let largestBody = 1024 * 1024

    private let router: ControlRouter
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    private var wait: PendingWait?
    private var waits = 0

    /// A request that waits for notifications.
    private struct PendingWait {
        /// Distinguishes this wait from earlier ones on the connection, whose callback may still arrive.
        let number: Int
        let id: Int?
        let timer: Scheduled<Void>
    }

    init(router: ControlRouter) {
        self.router = router
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = []
        case .body(let buffer): receiveBody(buffer)
        case .end: answer(context: context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        endWait()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ShutdownEvent { context.close(promise: nil) } else { context.fireUserInboundEventTriggered(event) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func receiveBody(_ buffer: ByteBuffer) {
        body.append(contentsOf: buffer.readableBytesView.prefix(Self.largestBody + 1 - body.count))
    }

    private func answer(context: ChannelHandlerContext) {
        guard let head else { return }
        guard body.count <= Self.largestBody else { return write(ControlError.tooLarge.response, context: context) }
        let request = ControlRequest(method: head.method.rawValue, target: head.uri, body: body)
        switch router.reply(to: request) {
        case .now(let response): write(response, context: context)
        case .whenReceived(let query, let count, let timeout):
            startWait(query, count: count, timeout: timeout, context: context)
        }
    }
}

/// Waits for notifications without blocking the event loop.
extension ControlHandler {
    private func startWait(_ query: NotificationQuery, count: Int, timeout: Duration, context: ChannelHandlerContext) {
        waits += 1
        let number = waits
        let finish = NIOLoopBound(
            { hasTimedOut in self.finishWait(number, query, hasTimedOut: hasTimedOut, context: context) },
            eventLoop: context.eventLoop)
        let timer = context.eventLoop.scheduleTask(in: TimeAmount(timeout)) { finish.value(true) }
        wait = PendingWait(number: number, id: nil, timer: timer)
        let eventLoop = context.eventLoop
        let id = router.history.whenReceived(count, matching: query.filter) {
            eventLoop.execute { finish.value(false) }
        }
        wait = PendingWait(number: number, id: id, timer: timer)
    }

    private func finishWait(
        _ number: Int, _ query: NotificationQuery, hasTimedOut: Bool, context: ChannelHandlerContext
    ) {
        guard wait?.number == number else { return }
        endWait()
        write(router.response(to: query, hasTimedOut: hasTimedOut), context: context)
    }

    private func endWait() {
        wait?.timer.cancel()
        if let id = wait?.id { router.history.giveUp(id) }
        wait = nil
    }
}

extension ControlHandler {
    private func write(_ response: ControlResponse, context: ChannelHandlerContext) {
        let keepsAlive = head?.isKeepAlive ?? false
        var bytes = response.body.serialized
        bytes.append(UInt8(ascii: "\n"))
        var headers: HTTPHeaders = ["content-type": "application/json", "content-length": String(bytes.count)]
        if !response.allow.isEmpty { headers.add(name: "allow", value: response.allow.joined(separator: ", ")) }
        if !keepsAlive { headers.add(name: "connection", value: "close") }
        let responseHead = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: response.status), headers: headers)
        context.write(wrapOutboundOut(.head(responseHead)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(bytes: bytes)))), promise: nil)
        let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        if !keepsAlive { written.assumeIsolated().whenComplete { _ in context.close(promise: nil) } }
    }
}
