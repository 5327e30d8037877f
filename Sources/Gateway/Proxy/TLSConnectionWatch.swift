internal import Logging
internal import NIOCore
internal import NIOSSL
internal import NIOTLS

/// Ends TLS connections that do not end by themselves: whose handshake takes too long, on which nothing has moved for
/// long, and those that are still open a while after the server was told to stop.
///
/// It stands behind an `IdleStateHandler`, which tells of the silence.
final class TLSConnectionWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    struct Limits: Sendable {
        /// For the handshake, from the connection's beginning.
        var handshake: TimeAmount
        /// Without a byte in either direction: longer than any request waits for its answer.
        var silence = TimeAmount.minutes(5)
        /// For what is under way when the server stops: the process gives it 10 s in all.
        var shutdown = TimeAmount.seconds(8)
    }

    private let limits: Limits
    private let logger: Logger
    private var isOpen = false
    private var end: Scheduled<Void>?

    init(_ limits: Limits, _ logger: Logger) {
        self.limits = limits
        self.logger = logger
    }

    func handlerAdded(context: ChannelHandlerContext) { close(context, in: limits.handshake) }

    func handlerRemoved(context: ChannelHandlerContext) { end?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        end?.cancel()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case TLSUserEvent.handshakeCompleted:
            isOpen = true
            end?.cancel()
        case is ChannelShouldQuiesceEvent:
            if isOpen { close(context, in: limits.shutdown) } else { context.close(promise: nil) }
        case is IdleStateHandler.IdleStateEvent:
            return context.close(promise: nil)
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case NIOSSLError.handshakeFailed(.sslError(let errors)) = error, !errors.contains(.eofDuringHandshake) {
            logger.info(
                "a TLS handshake failed, as it does when a client does not trust ca.pem",
                metadata: ["client": "\(context.remoteAddress?.ipAddress ?? "unknown")"])
            logger.debug("what TLS says of it", metadata: ["errors": "\(errors)"])
        }
        context.fireErrorCaught(error)
    }

    private func close(_ context: ChannelHandlerContext, in time: TimeAmount) {
        end?.cancel()
        let loopBound = context.loopBound
        end = context.eventLoop.assumeIsolated().scheduleTask(in: time) { loopBound.value.close(promise: nil) }
    }
}
