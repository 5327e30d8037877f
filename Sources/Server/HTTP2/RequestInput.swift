import NIOCore
import Signals
import Synchronization

/// The body of a request on a stream of HTTP/2, between the event loop and the task that reads it.
final class RequestInput: Sendable {
    private enum End {
        case complete
        case failed(any Error)
    }

    private enum Step {
        case bytes(ByteBuffer, isLast: Bool)
        case end(End)
        case wait
    }

    private struct State {
        var waiting = CircularBuffer<ByteBuffer>()
        var end: End?
        /// `true` if nobody reads the rest.
        var isDiscarded = false

        /// Appends bytes. Many small frames must not take many times their size in memory.
        mutating func append(_ bytes: ByteBuffer) {
            guard let last = waiting.last?.readableBytes, last + bytes.readableBytes <= RequestInput.smallBytes else {
                return waiting.append(bytes)
            }
            // Taken out, so that nobody else holds its memory, and the write copies nothing but these bytes.
            var joined = waiting.removeLast()
            joined.writeImmutableBuffer(bytes)
            waiting.append(joined)
        }
    }

    /// The size up to which bytes that wait are joined with those before them.
    private static let smallBytes = 4_096

    private let state = Mutex(State())
    private let arrival = Signal()
    private let onTaken: @Sendable (Int) -> Void

    /// Creates an empty body.
    ///
    /// - Parameter onTaken: A function called when the reader has taken bytes of a body that is not complete, with
    ///   their number.
    init(onTaken: @escaping @Sendable (Int) -> Void) { self.onTaken = onTaken }

    /// Appends bytes.
    ///
    /// - Returns: `false` if nobody reads them.
    func receive(_ bytes: ByteBuffer) -> Bool {
        let isRead = state.withLock { state in
            guard !state.isDiscarded, state.end == nil else { return false }
            state.append(bytes)
            return true
        }
        if isRead { arrival.notify() }
        return isRead
    }

    /// Ends the body. The task still reads the bytes that wait.
    func finish() { end(.complete) }

    /// Ends the body with an error, after the bytes that wait. A body that has ended stays as it is.
    func fail(_ error: any Error) { end(.failed(error)) }

    private func end(_ end: End) {
        state.withLock { if $0.end == nil { $0.end = end } }
        arrival.notify()
    }

    /// Drops the bytes that wait and those that follow, because the request has been answered.
    func discard() {
        state.withLock { state in
            state.isDiscarded = true
            state.waiting.removeAll()
        }
    }

    /// Returns the next bytes; `nil` after the last ones.
    func next() async throws -> ByteBuffer? {
        while true {
            try Task.checkCancellation()
            switch take() {
            case .bytes(let bytes, let isLast):
                if !isLast { onTaken(bytes.readableBytes) }
                return bytes
            case .end(.complete): return nil
            case .end(.failed(let error)): throw error
            case .wait:
                await arrival.wait { self.state.withLock { !$0.waiting.isEmpty || $0.end != nil } }
            }
        }
    }

    private func take() -> Step {
        state.withLock { state in
            guard let bytes = state.waiting.popFirst() else { return state.end.map(Step.end) ?? .wait }
            return .bytes(bytes, isLast: state.end != nil)
        }
    }
}

/// The body of a request as a sequence. Only one task may iterate.
struct RequestInputSequence: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let input: RequestInput

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let input: RequestInput

        mutating func next() async throws -> ByteBuffer? { try await input.next() }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(input: input) }
}
