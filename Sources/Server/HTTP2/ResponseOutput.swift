import GRPC
import HTTPTypes
import Hummingbird
import NIOCore
import Signals
import Synchronization

/// The response to a request on a stream of HTTP/2, between the task that writes it and the event loop.
///
/// The loop is woken once for all that is written before it takes it: for a short response, at its end.
final class ResponseOutput: Sendable {
    enum End {
        case complete(HTTPFields?)
        /// The response cannot be completed.
        case failed
    }

    /// The parts of a response that the event loop has not taken yet.
    struct Parts {
        var head: HTTP2Fields?
        var bytes: [ByteBuffer] = []
        var end: End?
    }

    private struct State {
        var parts = Parts()
        /// The number of bytes of the announced length that are not written yet; `nil` if no length is announced.
        var missing: Int?
        var isOver = false
        var pace = OutputPace()
    }

    private let state = Mutex(State())
    private let room = Signal()
    private let onOutput: @Sendable () -> Void

    /// Creates an empty response.
    ///
    /// - Parameter onOutput: A function called when there is something to ``take()``, once for each time.
    init(onOutput: @escaping @Sendable () -> Void) { self.onOutput = onOutput }

    /// `true` if the stream is closed.
    var isClosed: Bool { state.withLock(\.pace.isClosed) }

    /// Writes the head, which leaves with the first bytes of the body, or with the end.
    ///
    /// - Parameter length: The length of the body; `nil` if it is not known.
    func begin(_ head: HTTP2Fields, length: Int?) {
        let isFirst = state.withLock { state in
            state.parts.head = head
            state.missing = length
            // A body of unknown length may take its time to begin.
            return length == nil && state.pace.schedules()
        }
        if isFirst { onOutput() }
    }

    /// Writes bytes of the body. It waits while the client reads more slowly than bytes are written.
    ///
    /// - Throws: `CancellationError` in a cancelled task that would have to wait, or ``ChannelError`` if the stream is
    ///   closed.
    func write(_ bytes: ByteBuffer) async throws {
        await room.wait { self.state.withLock { $0.pace.hasRoom } }
        let isFirst = try state.withLock { state in
            guard !state.pace.isClosed, !state.isOver else { throw ChannelError.ioOnClosedChannel }
            // The wait ends early in a cancelled task.
            guard state.pace.hasRoom else { throw CancellationError() }
            state.parts.bytes.append(bytes)
            state.pace.write(bytes.readableBytes)
            state.missing = state.missing.map { $0 - bytes.readableBytes }
            // The end of the response follows the last bytes at once.
            return state.missing.map { $0 > 0 } != false && state.pace.schedules()
        }
        if isFirst { onOutput() }
    }

    /// Ends the response.
    ///
    /// - Throws: ``ChannelError`` if the stream is closed.
    func finish(_ trailers: HTTPFields?) throws {
        guard end(.complete(trailers)) else { throw ChannelError.ioOnClosedChannel }
    }

    /// Ends a response that is not complete. A complete one stays as it is.
    func fail() { _ = end(.failed) }

    private func end(_ end: End) -> Bool {
        let (isNew, isFirst) = state.withLock { state in
            guard !state.isOver, !state.pace.isClosed else { return (false, false) }
            state.isOver = true
            state.parts.end = end
            return (true, state.pace.schedules())
        }
        if isFirst { onOutput() }
        return isNew
    }

    // MARK: The event loop's side

    /// Takes the parts that wait.
    func take() -> Parts {
        state.withLock { state in
            state.pace.take()
            defer { state.parts = Parts() }
            return state.parts
        }
    }

    /// Notes that bytes have left.
    func sent(_ count: Int) {
        state.withLock { $0.pace.sent(count) }
        room.notify()
    }

    /// Ends the queue: nothing more is sent.
    func close() {
        state.withLock { state in
            state.pace.close()
            state.parts = Parts()
        }
        room.notify()
    }
}

/// The writer of a response's body.
struct ResponseOutputWriter: ResponseBodyWriter {
    let output: ResponseOutput

    mutating func write(_ buffer: ByteBuffer) async throws { try await output.write(buffer) }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws { try output.finish(trailingHeaders) }
}
