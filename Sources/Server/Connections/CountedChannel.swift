import Foundation
package import HummingbirdCore
package import Logging
package import NIOCore

/// A connection that is counted, and that is closed if its client does not read. `child` handles the protocol.
package struct CountedChannel<Child: ServerChildChannel>: ServerChildChannel {
    /// The number of unsent bytes that the kernel may buffer. A small buffer shows the progress of a slow connection
    /// early.
    private static var kernelBuffer: Int { 64 * 1024 }

    private let connections: OpenConnections
    private let writePeriod: TimeAmount
    private let child: Child

    /// Creates the handlers of a connection.
    ///
    /// - Parameter writePeriod: The interval between two checks of the unsent bytes.
    package init(connections: OpenConnections, writePeriod: TimeAmount, child: Child) {
        self.connections = connections
        self.writePeriod = writePeriod
        self.child = child
    }

    /// Adds the handlers to a new connection.
    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Child.Value> {
        channel.eventLoop.makeCompletedFuture {
            let handler = WriteDeadlineHandler(period: writePeriod, connection: connections.add(channel))
            try channel.pipeline.syncOperations.addHandler(handler)
            try? channel.syncOptions?.setOption(
                .tcpOption(NIOBSDSocket.Option(rawValue: TCP_NOTSENT_LOWAT)), value: Self.kernelBuffer)
        }.flatMap {
            child.setup(channel: channel, logger: logger)
        }.flatMapErrorThrowing { error in
            // Nothing else closes the channel after a failed setup.
            channel.close(promise: nil)
            throw error
        }
    }

    /// Serves the connection.
    package func handle(value: Child.Value, logger: Logger) async { await child.handle(value: value, logger: logger) }
}

extension Channel {
    /// Runs `serving` for this connection, and closes the connection if the task is cancelled. At the end of its
    /// shutdown time, a server cancels its tasks, and nothing else would close the connections that are still open.
    func closedOnCancellation(while serving: () async -> Void) async {
        await withTaskCancellationHandler {
            await serving()
        } onCancel: {
            close(promise: nil)
        }
    }

    /// Runs `work` for this connection, and cancels it if the client closes the connection. `work` closes the
    /// connection at its end.
    func cancellingOnClose(during work: @escaping @Sendable () async -> Void) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await work() }
            try? await closeFuture.get()
            group.cancelAll()
        }
    }
}
