import NIOCore
import NIOSSL

/// The behaviour of clients that mean no good.
extension TLSConnection {
    /// Reads nothing more, so that the other end's bytes pile up.
    public func stopReading() async throws { try await channel.setOption(.autoRead, value: false).get() }

    /// Sends `close_notify` and a FIN, and goes on reading.
    public func closeOutput() async throws { try await channel.close(mode: .output) }

    /// Sends a FIN without `close_notify` before it, as a process that is killed does, and goes on reading.
    public func closeSocketOutput() async throws {
        try await channel.eventLoop.flatSubmit {
            let closed = channel.eventLoop.makePromise(of: Void.self)
            do {
                try channel.pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self)
                    .close(mode: .output, promise: closed)
            } catch {
                closed.fail(error)
            }
            return closed.futureResult
        }.get()
    }

    /// Sends a piece again and again, until the connection is closed or time is up.
    ///
    /// - Parameter count: how often at the most.
    /// - Returns: how often the piece was handed to the system.
    @discardableResult
    public func flood(_ piece: [UInt8], count: Int, within bound: Duration) async -> Int {
        let (buffer, deadline) = (ByteBuffer(bytes: piece), ContinuousClock.now + bound)
        var sent = 0
        while sent < count, isOpen, ContinuousClock.now < deadline {
            guard channel.isWritable else {
                try? await Task.sleep(for: .milliseconds(1))
                continue
            }
            // In turn with the event loop, so that what waits to be sent stays bounded here as well.
            try? await channel.eventLoop.submit { channel.writeAndFlush(buffer, promise: nil) }.get()
            sent += 1
        }
        return sent
    }

    /// Waits until either end has closed the connection.
    ///
    /// - Returns: whether that was before time was up.
    public func isClosed(within bound: Duration) async -> Bool {
        let timeout = channel.eventLoop.scheduleTask(in: TimeAmount(bound)) {}
        channel.closeFuture.whenComplete { _ in timeout.cancel() }
        try? await timeout.futureResult.get()
        return !isOpen
    }
}
