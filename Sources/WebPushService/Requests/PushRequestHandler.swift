import NIOCore
import NIOHTTP1

/// A handler for the requests of application servers: all of an HTTP/1.1 connection, or the one of an HTTP/2 stream.
/// NIO's pipeline passes on one request at a time.
final class PushRequestHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let connection: SenderConnection
    private let responder: PushResponder
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    /// `true` from the head of a request to the end of its answer.
    private var isBusy = false
    private var delayedAnswer: Scheduled<Void>?

    init(_ connection: SenderConnection, responder: PushResponder) {
        self.connection = connection
        self.responder = responder
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head)
        case .body(let buffer): receiveBody(buffer)
        case .end: respond(context: context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        delayedAnswer?.cancel()
        end()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func begin(_ head: HTTPRequestHead) {
        self.head = head
        body = []
        guard !isBusy else { return }
        isBusy = true
        connection.beginRequest()
    }

    private func end() {
        guard isBusy else { return }
        isBusy = false
        connection.endRequest()
    }

    private func receiveBody(_ buffer: ByteBuffer) {
        // One byte more shows that the body is too large.
        body.append(contentsOf: buffer.readableBytesView.prefix(PushRequest.largestBody + 1 - body.count))
    }

    private func respond(context: ChannelHandlerContext) {
        guard let head else { return }
        let request = PushRequest(
            method: head.method.rawValue, authority: head.headers.first(name: "host") ?? "", path: head.uri,
            headers: head.headers.map { ($0.name.lowercased(), $0.value) }, body: body)
        let answer = responder.respond(
            to: request, connection: connection.number, validator: &connection.validator)
        guard answer.delay > .zero else { return self.finish(answer, context: context) }
        let finish = NIOLoopBound({ self.finish(answer, context: context) }, eventLoop: context.eventLoop)
        delayedAnswer = context.eventLoop.scheduleTask(in: TimeAmount(answer.delay)) { finish.value() }
    }

    private func finish(_ answer: PushAnswer, context: ChannelHandlerContext) {
        delayedAnswer = nil
        switch answer.ending {
        case .answer: write(answer, context: context)
        case .hang: break
        case .close: connection.close()
        }
    }

    private func write(_ answer: PushAnswer, context: ChannelHandlerContext) {
        // A connection of HTTP/2 stays open in any case.
        let keepsAlive = head.map { $0.version.major > 1 || $0.isKeepAlive } ?? false
        var headers = HTTPHeaders(answer.headers.map { ($0.name, $0.value) })
        // RFC 9110 §8.6: a 204 has no length.
        if answer.status != 204 { headers.add(name: "content-length", value: String(answer.body.count)) }
        if !keepsAlive { headers.add(name: "connection", value: "close") }
        let responseHead = HTTPResponseHead(
            version: head?.version ?? .http1_1, status: HTTPResponseStatus(statusCode: answer.status), headers: headers)
        context.write(wrapOutboundOut(.head(responseHead)), promise: nil)
        if !answer.body.isEmpty {
            let buffer = context.channel.allocator.buffer(bytes: answer.body)
            context.write(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
        }
        let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        end()
        if !keepsAlive { written.assumeIsolated().whenComplete { _ in context.close(promise: nil) } }
    }
}
