import NIOCore
import NIOPosix

/// A client's connection to a ``TestProxy``: one `CONNECT`, then the bytes of the tunnel.
final class TestProxyHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let behaviour: TestProxy.Behaviour
    private let log: TestProxy.Log
    private var head = ""
    private var server: (any Channel)?

    init(_ behaviour: TestProxy.Behaviour, _ log: TestProxy.Log) {
        self.behaviour = behaviour
        self.log = log
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        if let server { return server.writeAndFlush(buffer, promise: nil) }
        head += String(buffer: buffer)
        guard head.hasSuffix("\r\n\r\n") else { return }
        head.removeLast()
        log.add(head)
        answer(context.channel)
    }

    func channelInactive(context: ChannelHandlerContext) { server?.close(promise: nil) }

    private func answer(_ client: any Channel) {
        switch behaviour {
        case .opensTunnels: openTunnel(client)
        case .wants(let authorization):
            guard head.contains("\r\nProxy-Authorization: \(authorization)\r\n") else {
                return say("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n", to: client)
            }
            openTunnel(client)
        case .refuses(let port):
            guard requestedPort != port else {
                return say("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", to: client)
            }
            openTunnel(client)
        case .says(let answer): say(answer, to: client)
        case .isSilent: break
        case .hangsUp: client.close(promise: nil)
        }
    }

    private var requestedPort: Int {
        let target = head.split(separator: " ").dropFirst().first ?? ""
        return target.split(separator: ":").last.flatMap { Int($0) } ?? 0
    }

    private func openTunnel(_ client: any Channel) {
        ClientBootstrap(group: client.eventLoop)
            .connectTimeout(TimeAmount(.patience))
            .channelInitializer { server in
                server.eventLoop.makeCompletedFuture {
                    try server.pipeline.syncOperations.addHandler(Forwarder(to: client))
                }
            }
            .connect(host: "127.0.0.1", port: requestedPort)
            .assumeIsolated()
            .whenComplete { [self] result in
                server = try? result.get()
                say(server == nil ? "HTTP/1.1 502 Bad Gateway\r\n\r\n" : "HTTP/1.1 200 Open\r\n\r\n", to: client)
            }
    }

    private func say(_ text: String, to client: any Channel) {
        client.writeAndFlush(client.allocator.buffer(string: text), promise: nil)
    }
}

/// Forwards the bytes that a server sends to the client.
private final class Forwarder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let client: any Channel

    init(to client: any Channel) { self.client = client }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        client.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { client.close(promise: nil) }
}
