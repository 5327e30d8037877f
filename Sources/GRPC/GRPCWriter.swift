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
    private struct State {
        /// The messages that the event loop has not taken yet.
        var bytes = ByteBuffer()
        var status: GRPCStatus?
        var pace = OutputPace()
    }

    private let state = Mutex(State())
    private let room = Signal()
    private let onOutput: @Sendable () -> Void

    /// Creates an empty queue.
    ///
    /// - Parameter onOutput: A function called when there is something to ``take()``, once for each time.
    init(onOutput: @escaping @Sendable () -> Void) { self.onOutput = onOutput }

    func write(_ message: [UInt8]) async throws {
        await room.wait { self.state.withLock { $0.pace.hasRoom } }
        let isFirst = try state.withLock { state in
            guard !state.pace.isClosed, state.status == nil else { throw GRPCStatus.cancelled }
            // The wait ends early in a cancelled task.
            guard state.pace.hasRoom else { throw CancellationError() }
            state.bytes.writeMessage(message)
            state.pace.write(MessageReader.prefixBytes + message.count)
            return state.pace.schedules()
        }
        if isFirst { onOutput() }
    }

    /// Ends the call after the messages written so far.
    func finish(_ status: GRPCStatus) {
        let isFirst = state.withLock { state in
            if state.status == nil { state.status = status }
            return state.pace.schedules()
        }
        if isFirst { onOutput() }
    }

    // MARK: The event loop's side

    /// Takes the messages that wait, and the status if the call has ended.
    func take() -> (bytes: ByteBuffer, status: GRPCStatus?) {
        state.withLock { state in
            state.pace.take()
            defer { state.bytes = ByteBuffer() }
            return (state.bytes, state.status)
        }
    }

    /// Notes that bytes have left, or are lost with the stream.
    func sent(_ count: Int) {
        state.withLock { $0.pace.sent(count) }
        room.notify()
    }

    /// Ends the queue: nothing more is sent.
    func close() {
        state.withLock { state in
            state.pace.close()
            state.bytes = ByteBuffer()
        }
        room.notify()
    }
}
