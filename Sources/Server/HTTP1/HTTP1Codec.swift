import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// A codec between the parts of HTTP/1.1 messages and the parts that all HTTP versions share.
///
/// NIO's `HTTP1ToHTTPServerCodec` parses the target of each request with Foundation, because it may be a URL with a
/// scheme (RFC 9112 §3.2.2). This codec skips that for a target that begins with a slash, which has no scheme.
final class HTTP1Codec: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let isSecure: Bool

    init(isSecure: Bool) { self.isSecure = isSecure }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            do {
                context.fireChannelRead(wrapInboundOut(.head(try request(head))))
            } catch {
                context.fireErrorCaught(error)
            }
        case .body(let bytes): context.fireChannelRead(wrapInboundOut(.body(bytes)))
        case .end(let trailers):
            context.fireChannelRead(wrapInboundOut(.end(trailers.map { HTTPFields($0, splitCookie: false) })))
        }
    }

    private func request(_ head: HTTPRequestHead) throws -> HTTPRequest {
        guard head.uri.utf8.first == UInt8(ascii: "/"), let method = HTTPRequest.Method(head.method.rawValue) else {
            return try HTTPRequest(head, secure: isSecure, splitCookie: false)
        }
        return HTTPRequest(
            method: method, scheme: isSecure ? "https" : "http", authority: head.headers.first(name: "host"),
            path: head.uri, headerFields: HTTPFields(head.headers, splitCookie: false))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        context.write(wrapOutboundOut(translated(unwrapOutboundIn(data))), promise: promise)
    }

    private func translated(_ part: HTTPResponsePart) -> HTTPServerResponsePart {
        switch part {
        case .head(let response): .head(HTTPResponseHead(response))
        case .body(let bytes): .body(.byteBuffer(bytes))
        case .end(let trailers): .end(trailers.map(HTTPHeaders.init))
        }
    }
}
