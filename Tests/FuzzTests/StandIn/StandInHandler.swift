import JSON
import NIOCore
import NIOHTTP1

/// Answers a stand-in's requests, with the planted fault.
final class StandInHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let plant: StandIn.Plant
    private let connections: StandInConnections
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []

    init(_ plant: StandIn.Plant, _ connections: StandInConnections) {
        self.plant = plant
        self.connections = connections
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = []
        case .body(let bytes): body += bytes.readableBytesView
        case .end:
            if let head { answer(head, context) }
            head = nil
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        switch plant {
        case .crash where hasOddLimit(head.uri): return connections.closeAll()
        case .serverError where hasOddCount: return answer(.internalServerError, head, context)
        case .hang where !body.isEmpty && head.headers.first(name: "Content-Type") != "application/json": return
        default: break
        }
        answer(status(of: head), head, context)
    }

    private func status(of head: HTTPRequestHead) -> HTTPResponseStatus {
        let path = head.uri.prefix { $0 != "?" }
        switch (head.method, path.split(separator: "/").first) {
        case (.GET, "items"), (.HEAD, "items"), (.GET, "healthz"): return .ok
        case (.POST, "items"): return (try? JSONValue(parsing: body)) == nil ? .badRequest : .ok
        default: return .notFound
        }
    }

    private func answer(
        _ status: HTTPResponseStatus, _ request: HTTPRequestHead, _ context: ChannelHandlerContext
    ) {
        let text = request.method == .HEAD ? "" : "{}"
        var head = HTTPResponseHead(version: .http1_1, status: status, headers: ["Content-Length": "2"])
        // NIO reads nothing after a request that asks for another protocol.
        let isLast = !request.isKeepAlive || request.headers.contains(name: "Upgrade") || request.method == .CONNECT
        if isLast { head.headers.add(name: "Connection", value: "close") }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !text.isEmpty { context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil) }
        let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        let bound = context.loopBound
        if isLast { written.assumeIsolated().whenComplete { _ in bound.value.close(promise: nil) } }
    }

    // MARK: The planted faults

    private func hasOddLimit(_ uri: String) -> Bool {
        let query = uri.drop { $0 != "?" }.dropFirst()
        return query.split(separator: "&").contains { pair in
            pair.hasPrefix("limit=") && Int(pair.dropFirst("limit=".count)) == nil
        }
    }

    private var hasOddCount: Bool {
        guard let count = (try? JSONValue(parsing: body))?.object?["count"] else { return false }
        return count.integer == nil
    }
}
