import NIOCore
import NIOSSL
import NIOTLS

/// Monitors a connection until its handshake is complete, and reports the reason of a failure.
final class Handshake: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    let connection: Connection
    private let proxy: HTTPProxy?
    /// The name that the server's certificate must have; `nil` if the request is to an address.
    private let name: String?
    /// `true` if a server that negotiates no HTTP/2 has none.
    private let requiresHTTP2: Bool
    private var hasTunnel = false
    private var onFailure: ((ConnectError) -> Void)?
    private var timer: Scheduled<Void>?

    init(
        connection: Connection, proxy: HTTPProxy?, name: String?, requiresHTTP2: Bool,
        fail: @escaping (ConnectError) -> Void
    ) {
        self.connection = connection
        self.proxy = proxy
        self.name = name
        self.requiresHTTP2 = requiresHTTP2
        onFailure = fail
    }

    func failUnlessDone(by deadline: NIODeadline, on channel: any Channel) {
        timer = channel.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] in
            guard let self else { return }
            fail(lateness, on: channel)
        }
    }

    func tunnelIsOpen() { hasTunnel = true }

    private var lateness: ConnectError {
        if let proxy, !hasTunnel { return .proxy(proxy, "does not answer CONNECT") }
        return ConnectError(kind: .couldNotConnect, message: "the handshake took too long")
    }

    func fail(_ error: ConnectError, on channel: any Channel) {
        timer?.cancel()
        onFailure?(hasTunnel ? error.through(proxy) : error)
        onFailure = nil
        channel.close(promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let version)? = event as? TLSUserEvent {
            if let name, !isCertified(name, context) {
                let message = "the certificate is not for the name \(name)"
                return fail(ConnectError(kind: .tls, message: message), on: context.channel)
            }
            if requiresHTTP2, version != "h2" {
                return fail(ConnectError(kind: .noHTTP2, message: "the server has no HTTP/2"), on: context.channel)
            }
            timer?.cancel()
            onFailure = nil
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func isCertified(_ name: String, _ context: ChannelHandlerContext) -> Bool {
        guard let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate() else { return false }
        return CertificateNames(of: certificate).include(name)
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

extension ConnectError {
    /// Returns the error with the proxy's name added, because the proxy may be the cause.
    fileprivate func through(_ proxy: HTTPProxy?) -> ConnectError {
        ConnectError(kind: kind, message: proxy.map { "\(message), through the proxy \($0)" } ?? message)
    }
}
