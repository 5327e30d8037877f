import Logging
package import NIOCore
import NIOSSL
import NIOTLS

/// A handler that ends TLS connections in three cases: the handshake takes too long, no bytes have moved for a long
/// time, or the connection is still open some time after the server was told to stop.
///
/// It comes after an `IdleStateHandler`, which reports silence.
package final class TLSConnectionWatch: ChannelInboundHandler {
    /// The bytes of the connection, decrypted.
    package typealias InboundIn = ByteBuffer
    /// The bytes of the connection, which pass.
    package typealias InboundOut = ByteBuffer

    /// The limits of a connection.
    package struct Limits: Sendable {
        /// The time for the handshake, from the start of the connection.
        var handshake: TimeAmount
        /// The time without a byte in either direction; longer than any request waits for its response.
        var silence: TimeAmount
        /// `true` if clients must trust the gateway's own authority, so that each handshake that fails is worth a line
        /// in the log. Anybody on the internet may try another port.
        var isByOwnAuthority: Bool
        /// The time for requests in progress at shutdown. The process allows 10 s in total.
        var shutdown: TimeAmount

        /// Sets the limits.
        ///
        /// - Parameters:
        ///   - handshake: The time for the handshake, from the start of the connection.
        ///   - silence: The time without a byte in either direction.
        ///   - isByOwnAuthority: `true` to log each handshake that fails.
        ///   - shutdown: The time for requests in progress at shutdown.
        package init(
            handshake: TimeAmount, silence: TimeAmount = .minutes(5), isByOwnAuthority: Bool = false,
            shutdown: TimeAmount = .seconds(8)
        ) {
            self.handshake = handshake
            self.silence = silence
            self.isByOwnAuthority = isByOwnAuthority
            self.shutdown = shutdown
        }
    }

    private let limits: Limits
    private let logger: Logger
    private var isOpen = false
    private var end: Scheduled<Void>?

    init(_ limits: Limits, _ logger: Logger) {
        self.limits = limits
        self.logger = logger
    }

    /// Begins the time for the handshake.
    package func handlerAdded(context: ChannelHandlerContext) { close(context, in: limits.handshake) }

    /// Ends the deadline.
    package func handlerRemoved(context: ChannelHandlerContext) { end?.cancel() }

    /// Ends the deadline with the connection.
    package func channelInactive(context: ChannelHandlerContext) {
        end?.cancel()
        context.fireChannelInactive()
    }

    /// Handles the end of the handshake, silence, and the end of the server.
    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
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

    /// Logs a handshake that failed.
    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case NIOSSLError.handshakeFailed(.sslError(let errors)) = error, !errors.contains(.eofDuringHandshake) {
            let client: Logger.Metadata = ["client": "\(context.remoteAddress?.ipAddress ?? "unknown")"]
            if limits.isByOwnAuthority {
                logger.info("a TLS handshake failed; check that the client trusts ca.pem", metadata: client)
            }
            logger.debug(
                "details of the failed TLS handshake", metadata: client.merging(["errors": "\(errors)"]) { $1 })
        }
        context.fireErrorCaught(error)
    }

    private func close(_ context: ChannelHandlerContext, in time: TimeAmount) {
        end?.cancel()
        let loopBound = context.loopBound
        end = context.eventLoop.assumeIsolated().scheduleTask(in: time) { loopBound.value.close(promise: nil) }
    }
}
