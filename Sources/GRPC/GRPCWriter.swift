import NIOCore
import Signals
import Synchronization

/// The writer of a call's answers.
package struct GRPCWriter: Sendable {
    let output: MessageOutput

    /// Sends a message. It waits while the client reads more slowly than messages are written.
    ///
    /// While there is no need to wait, a message is also sent in a task that was cancelled because the server stops: it
    /// may be the answer to a change, which the client would make again.
    ///
    /// - Throws: `CancellationError` in a cancelled task that would have to wait; a ``GRPCStatus`` if the call is over.
    package func write(_ message: [UInt8]) async throws { try await output.write(message) }
}

/// The queue between the task of a call and the stream's handler.
///
/// Messages that are written before the event loop takes them leave together, in one piece.
final class MessageOutput: Sendable {
    /// The number of bytes that may wait for the client before writers wait.
    private static let maximumUnsentBytes = 64 * 1024

    private struct State {
        /// The messages that the event loop has not taken yet.
        var bytes = ByteBuffer()
        /// The number of written bytes that the client's flow-control window or the socket has not taken.
        var unsent = 0
        var status: GRPCStatus?
        var isFlushScheduled = false
        var isClosed = false

        var hasRoom: Bool { isClosed || unsent < MessageOutput.maximumUnsentBytes }

        /// Returns `true` if the event loop must be woken.
        mutating func schedulesFlush() -> Bool {
            guard !isFlushScheduled, !isClosed else { return false }
            isFlushScheduled = true
            return true
        }
    }

    private let state = Mutex(State())
    private let room = Signal()
    private let onOutput: @Sendable () -> Void

    /// Creates an empty queue.
    ///
    /// - Parameter onOutput: A function called when there is something to ``take()``, once for each time.
    init(onOutput: @escaping @Sendable () -> Void) { self.onOutput = onOutput }

    func write(_ message: [UInt8]) async throws {
        await room.wait { self.state.withLock { $0.hasRoom } }
        let isFirst = try state.withLock { state in
            guard !state.isClosed, state.status == nil else { throw GRPCStatus.cancelled }
            // The wait ends early in a cancelled task.
            guard state.hasRoom else { throw CancellationError() }
            state.bytes.writeMessage(message)
            state.unsent += MessageReader.prefixBytes + message.count
            return state.schedulesFlush()
        }
        if isFirst { onOutput() }
    }

    /// Ends the call after the messages written so far.
    func finish(_ status: GRPCStatus) {
        let isFirst = state.withLock { state in
            if state.status == nil { state.status = status }
            return state.schedulesFlush()
        }
        if isFirst { onOutput() }
    }

    // MARK: The event loop's side

    /// Takes the messages that wait, and the status if the call has ended.
    func take() -> (bytes: ByteBuffer, status: GRPCStatus?) {
        state.withLock { state in
            state.isFlushScheduled = false
            defer { state.bytes = ByteBuffer() }
            return (state.bytes, state.status)
        }
    }

    /// Notes that bytes have left, or are lost with the stream.
    func sent(_ count: Int) {
        state.withLock { $0.unsent -= count }
        room.notify()
    }

    /// Ends the queue: nothing more is sent.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.bytes = ByteBuffer()
        }
        room.notify()
    }
}
