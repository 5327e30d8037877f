import NIOCore
import NIOPosix
import NIOSSL
import TestBasics

/// A port on loopback whose connections go on to another port over TLS, for tests that send raw bytes.
package enum TLSTunnel {
    /// Opens the port for the body.
    ///
    /// - Parameters:
    ///   - port: the port on this machine to connect to.
    ///   - caFile: the file of trusted certificate authorities.
    package static func running<Output>(
        to port: Int, trusting caFile: String, _ body: (_ port: UInt16) async throws -> Output
    ) async throws -> Output {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .file(caFile)
        configuration.shutdownTimeout = .milliseconds(100)
        let context = try NIOSSLContext(configuration: configuration)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { client in
                ClientBootstrap(group: client.eventLoop)
                    .connectTimeout(TimeAmount(.patience))
                    .channelOption(.allowRemoteHalfClosure, value: true)
                    .channelInitializer { server in
                        server.eventLoop.makeCompletedFuture {
                            try server.pipeline.syncOperations.addHandlers(
                                NIOSSLClientHandler(context: context, serverHostname: TLSConnection.name),
                                TunnelEnd(other: client))
                        }
                    }
                    .connect(host: "127.0.0.1", port: port)
                    .flatMap { server in
                        client.eventLoop.makeCompletedFuture {
                            try client.pipeline.syncOperations.addHandler(TunnelEnd(other: server))
                        }
                    }
                    .flatMap { client.setOption(.autoRead, value: true) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        do {
            let output = try await body(UInt16(listener.localAddress?.port ?? 0))
            try await listener.close()
            return output
        } catch {
            try? await listener.close()
            throw error
        }
    }
}

/// Passes on what one end of a tunnel sends, and how it closes.
private final class TunnelEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel

    init(other: any Channel) { self.other = other }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        other.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { other.close(mode: .output, promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
