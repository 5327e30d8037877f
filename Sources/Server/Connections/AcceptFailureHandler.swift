import Foundation
package import NIOCore

/// A handler that closes idle connections if a new connection cannot be accepted because file descriptors have run
/// out. NIO tries again to accept after a second.
package final class AcceptFailureHandler: ChannelInboundHandler, Sendable {
    /// The kind of messages, which pass.
    package typealias InboundIn = Any

    private let connections: OpenConnections

    package init(connections: OpenConnections) { self.connections = connections }

    /// Handles an error of the listener.
    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? IOError, [EMFILE, ENFILE].contains(error.errnoCode) { connections.relieve() }
        context.fireErrorCaught(error)
    }
}
