internal import NIOCore

/// Asks a proxy for a tunnel to a server, and makes way for what goes through it.
final class TunnelHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let proxy: HTTPProxy
    private let origin: HTTP2Origin
    private var answer = TunnelAnswer()
    private var completion: ((Result<Void, ConnectError>) -> Void)?

    /// - Parameter completion: called once, with the handler gone if the tunnel is open.
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
        // It may close the channel, which comes back here.
        let completion = self.completion.take()
        completion?(result)
    }
}
