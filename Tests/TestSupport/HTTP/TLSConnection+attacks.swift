import NIOCore
import NIOSSL

/// The behaviour of hostile clients.
extension TLSConnection {
    /// Stops reading, so that the other end's bytes pile up.
    package func stopReading() async throws { try await channel.setOption(.autoRead, value: false).get() }

    /// Sends `close_notify` and a FIN, and still reads.
    package func closeOutput() async throws { try await channel.close(mode: .output) }

    /// Sends a FIN without `close_notify` before it, as a killed process does, and still reads.
    package func closeSocketOutput() async throws {
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

    /// Sends a piece repeatedly until the connection is closed or the time is over.
    ///
    /// - Parameter count: the maximum number of times.
    /// - Returns: the number of times the piece was given to the system.
    @discardableResult
    package func flood(_ piece: [UInt8], count: Int, within bound: Duration) async -> Int {
        let (buffer, deadline) = (ByteBuffer(bytes: piece), ContinuousClock.now + bound)
        var sent = 0
        while sent < count, isOpen, ContinuousClock.now < deadline {
            guard channel.isWritable else {
                try? await Task.sleep(for: .milliseconds(1))
                continue
            }
            // Waits for the event loop each time, so that the bytes that wait to be sent stay bounded here as well.
            try? await channel.eventLoop.submit { channel.writeAndFlush(buffer, promise: nil) }.get()
            sent += 1
        }
        return sent
    }

    /// Waits until either end has closed the connection.
    ///
    /// - Returns: `true` if the connection closed in time.
    package func isClosed(within bound: Duration) async -> Bool {
        let timeout = channel.eventLoop.scheduleTask(in: TimeAmount(bound)) {}
        channel.closeFuture.whenComplete { _ in timeout.cancel() }
        try? await timeout.futureResult.get()
        return !isOpen
    }
}
