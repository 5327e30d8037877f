import Logging
import NIOCore
import NIOSSL
import NIOTLS

/// A handler that ends TLS connections in three cases: the handshake takes too long, no bytes have moved for a long
/// time, or the connection is still open some time after the server was told to stop.
///
/// It comes after an `IdleStateHandler`, which reports silence.
final class TLSConnectionWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let limits: TLSConnectionLimits
    private let logger: Logger
    private var isOpen = false
    private var end: Scheduled<Void>?

    init(_ limits: TLSConnectionLimits, _ logger: Logger) {
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
            let client: Logger.Metadata = ["client": "\(context.remoteAddress?.ipAddress ?? "unknown")"]
            if limits.isByOwnAuthority {
                logger.info("failed to complete a TLS handshake; check that the client trusts ca.pem", metadata: client)
            }
            logger.debug(
                "recorded the errors of a failed TLS handshake",
                metadata: client.merging(["errors": "\(errors)"]) { $1 })
        }
        context.fireErrorCaught(error)
    }

    private func close(_ context: ChannelHandlerContext, in time: TimeAmount) {
        end?.cancel()
        let loopBound = context.loopBound
        end = context.eventLoop.assumeIsolated().scheduleTask(in: time) { loopBound.value.close(promise: nil) }
    }
}
