import NIOCore

/// Requests a tunnel to a server from a proxy, and then removes itself from the pipeline.
final class TunnelHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let proxy: HTTPProxy
    private let origin: HTTP2Origin
    private var answer = TunnelAnswer()
    private var completion: ((Result<Void, ConnectError>) -> Void)?

    /// Makes a handler.
    ///
    /// - Parameter completion: called once. If the tunnel is open, the handler is removed before the call.
    init(
        _ proxy: HTTPProxy, to origin: HTTP2Origin, completion: @escaping (Result<Void, ConnectError>) -> Void
    ) {
        self.proxy = proxy
        self.origin = origin
        self.completion = completion
    }

    func handlerAdded(context: ChannelHandlerContext) {
        guard context.channel.isActive else { return finish(.failure(.proxy(proxy, "has closed the connection"))) }
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(string: request)), promise: nil)
    }

    private var request: String {
        let target = origin.hostAndPort
        let authorization = proxy.credentials.map { "Proxy-Authorization: \($0.authorization)\r\n" } ?? ""
        return "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\(authorization)\r\n"
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard completion != nil else { return }
        switch answer.receive(unwrapInboundIn(data).readableBytesView) {
        case .isIncomplete: break
        case .isOpen:
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
            finish(.success(()))
        case .isRefused(let status): finish(.failure(.proxy(proxy, refused: status, to: origin)))
        case .isInvalid: finish(.failure(.proxy(proxy, "does not answer CONNECT as an HTTP proxy does")))
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish(.failure(.proxy(proxy, "has closed the connection without an answer to CONNECT")))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        finish(.failure(.proxy(proxy, "has not answered CONNECT: \(error)")))
    }

    private func finish(_ result: Result<Void, ConnectError>) {
        // The completion may close the channel, which calls this function again.
        let completion = self.completion.take()
        completion?(result)
    }
}

extension ConnectError {
    /// Returns an error of a proxy.
    ///
    /// - Parameter problem: a predicate whose subject is the proxy.
    static func proxy(_ proxy: HTTPProxy, _ problem: String) -> ConnectError {
        ConnectError(kind: .proxy, message: "the proxy \(proxy) \(problem)")
    }

    static func proxy(_ proxy: HTTPProxy, refused status: Int, to origin: HTTP2Origin) -> ConnectError {
        switch status {
        case 407 where proxy.credentials == nil: .proxy(proxy, "asks for a user and a password (407)")
        case 407: .proxy(proxy, "does not take the user and password that it was given (407)")
        case 403: .proxy(proxy, "does not allow a tunnel to \(origin.hostAndPort) (403)")
        case 502...504: .proxy(proxy, "cannot reach \(origin.hostAndPort) (\(status))")
        default: .proxy(proxy, "opens no tunnel to \(origin.hostAndPort) (\(status))")
        }
    }
}
