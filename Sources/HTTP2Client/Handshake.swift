internal import NIOCore
internal import NIOSSL
internal import NIOTLS

/// Watches over a connection until its handshake is complete, and says why when it is not.
final class Handshake: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    let connection: Connection
    private var onFailure: ((ConnectError) -> Void)?
    private var timer: Scheduled<Void>?

    init(connection: Connection, fail: @escaping (ConnectError) -> Void) {
        self.connection = connection
        onFailure = fail
    }

    func failUnlessDone(by deadline: NIODeadline, on channel: any Channel) {
        timer = channel.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] in
            self?.fail(ConnectError(kind: .couldNotConnect, message: "the handshake took too long"), on: channel)
        }
    }

    func fail(_ error: ConnectError, on channel: any Channel) {
        timer?.cancel()
        onFailure?(error)
        onFailure = nil
        channel.close(promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent {
            timer?.cancel()
            onFailure = nil
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(ConnectError(kind: .couldNotConnect, message: "the server closed the connection"), on: context.channel)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard onFailure != nil else { return context.fireErrorCaught(error) }
        let isTLS = error is NIOSSLError || error is BoringSSLError || error is NIOSSLExtraError
        fail(ConnectError(kind: isTLS ? .tls : .couldNotConnect, message: "\(error)"), on: context.channel)
    }
}
