import JSON
import NIOCore
import NIOHTTP1

/// A handler for one connection to the control address. NIO's pipeline passes on one request at a time.
final class ControlHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// An event that the channel receives when the service shuts down.
    struct ShutdownEvent: Sendable {}

    /// The largest body of a request, in bytes.
    static let largestBody = 1024 * 1024

    private let endpoints: any ControlEndpoints
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    private var wait: PendingWait?
    private var waits = 0

    /// A request that waits.
    private struct PendingWait {
        /// Distinguishes this wait from earlier ones on the connection, whose callback may still arrive.
        let number: Int
        /// The number by which the wait can be given up; `nil` until it has begun, and if it has ended at once.
        var id: Int?
        let reply: ControlWait
        let timer: Scheduled<Void>
    }

    init(endpoints: any ControlEndpoints) {
        self.endpoints = endpoints
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
        switch endpoints.reply(to: request) {
        case .now(let response): write(response, context: context)
        case .later(let reply): startWait(reply, context: context)
        }
    }
}

/// Waits without blocking the event loop.
extension ControlHandler {
    private func startWait(_ reply: ControlWait, context: ChannelHandlerContext) {
        waits += 1
        let number = waits
        let finish = NIOLoopBound(
            { hasTimedOut in self.finishWait(number, hasTimedOut: hasTimedOut, context: context) },
            eventLoop: context.eventLoop)
        let timer = context.eventLoop.scheduleTask(in: TimeAmount(reply.timeout)) { finish.value(true) }
        wait = PendingWait(number: number, id: nil, reply: reply, timer: timer)
        let eventLoop = context.eventLoop
        wait?.id = reply.begin { eventLoop.execute { finish.value(false) } }
    }

    private func finishWait(_ number: Int, hasTimedOut: Bool, context: ChannelHandlerContext) {
        guard let wait, wait.number == number else { return }
        endWait()
        write(wait.reply.response(hasTimedOut), context: context)
    }

    private func endWait() {
        wait?.timer.cancel()
        if let wait, let id = wait.id { wait.reply.giveUp(id) }
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
