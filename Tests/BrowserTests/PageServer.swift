import NIOCore
import NIOHTTP1
import NIOPosix

/// A server of a few fixed pages on loopback, where browsers allow service workers without TLS.
struct PageServer: Sendable {
    /// The URL of the server, without a slash at the end.
    let origin: String

    /// Serves pages for the body.
    ///
    /// - Parameter pages: The content of each path. Its end decides the type.
    static func running<Output>(
        _ pages: [String: String], _ body: (PageServer) async throws -> Output
    ) async throws -> Output {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(PageHandler(pages: pages))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        let server = PageServer(origin: "http://127.0.0.1:\(listener.localAddress?.port ?? 0)")
        do {
            let output = try await body(server)
            try await listener.close()
            return output
        } catch {
            try? await listener.close()
            throw error
        }
    }
}

private final class PageHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let pages: [String: String]
    private var path = ""

    init(pages: [String: String]) { self.pages = pages }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): path = head.uri
        case .body: break
        case .end: answer(context: context)
        }
    }

    private func answer(context: ChannelHandlerContext) {
        let buffer = context.channel.allocator.buffer(string: pages[path] ?? "")
        let type = path.hasSuffix(".js") ? "text/javascript" : "text/html; charset=utf-8"
        let head = HTTPResponseHead(
            version: .http1_1, status: pages[path] == nil ? .notFound : .ok,
            headers: ["content-type": type, "content-length": String(buffer.readableBytes)])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
