import NIOCore
import NIOHTTP1

/// A handler for a browser's connection without TLS, until it becomes a WebSocket.
final class BrowserRequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// The largest body of a request, in bytes.
    static let largestBody = 256 * 1024

    private let responder: BrowserResponder
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []

    init(responder: BrowserResponder) {
        self.responder = responder
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = []
        case .body(let buffer):
            body.append(contentsOf: buffer.readableBytesView.prefix(Self.largestBody + 1 - body.count))
        case .end: respond(context: context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is BrowserShutdownEvent { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func respond(context: ChannelHandlerContext) {
        guard let head else { return }
        let path = head.uri.prefix { $0 != "?" }
        let request = BrowserRequest(
            method: head.method.rawValue, path: String(path),
            authorization: head.headers.first(name: "authorization"), body: body)
        let isTooLarge = body.count > Self.largestBody
        write(isTooLarge ? .text("too large\n", status: 413) : responder.respond(to: request), context: context)
    }

    private func write(_ answer: BrowserAnswer, context: ChannelHandlerContext) {
        let keepsAlive = head?.isKeepAlive ?? false
        var headers: HTTPHeaders = [
            "content-type": answer.contentType, "content-length": String(answer.body.count),
        ]
        if !keepsAlive { headers.add(name: "connection", value: "close") }
        let responseHead = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: answer.status), headers: headers)
        context.write(wrapOutboundOut(.head(responseHead)), promise: nil)
        let buffer = context.channel.allocator.buffer(bytes: answer.body)
        context.write(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
        let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        if !keepsAlive { written.assumeIsolated().whenComplete { _ in context.close(promise: nil) } }
    }
}

/// An event that the channels of browsers receive when the service shuts down.
struct BrowserShutdownEvent: Sendable {}
