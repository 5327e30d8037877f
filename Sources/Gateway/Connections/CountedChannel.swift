internal import Foundation
internal import HummingbirdCore
internal import Logging
internal import NIOCore

/// A connection that is counted, and that ends when its client does not read; what it carries is another's concern.
struct CountedChannel<Child: ServerChildChannel>: ServerChildChannel {
    /// Bytes that the kernel keeps beyond those on their way: the fewer, the sooner a slow line's progress shows.
    private static var kernelBuffer: Int { 64 * 1024 }

    let connections: OpenConnections
    /// Between two looks at what waits to be read.
    let writePeriod: TimeAmount
    let child: Child

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Child.Value> {
        channel.eventLoop.makeCompletedFuture {
            let handler = WriteDeadlineHandler(period: writePeriod, connection: connections.add(channel))
            try channel.pipeline.syncOperations.addHandler(handler)
            try? channel.syncOptions?.setOption(
                .tcpOption(NIOBSDSocket.Option(rawValue: TCP_NOTSENT_LOWAT)), value: Self.kernelBuffer)
        }.flatMap {
            child.setup(channel: channel, logger: logger)
        }.flatMapErrorThrowing { error in
            // Nobody else would.
            channel.close(promise: nil)
            throw error
        }
    }

    func handle(value: Child.Value, logger: Logger) async { await child.handle(value: value, logger: logger) }
}
