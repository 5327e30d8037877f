internal import Foundation
internal import NIOCore

/// Makes room when a connection cannot be accepted because descriptors have run out; NIO tries again after a second.
final class AcceptFailureHandler: ChannelInboundHandler, Sendable {
    typealias InboundIn = Any

    private let connections: OpenConnections

    init(connections: OpenConnections) { self.connections = connections }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? IOError, [EMFILE, ENFILE].contains(error.errnoCode) { connections.relieve() }
        context.fireErrorCaught(error)
    }
}
