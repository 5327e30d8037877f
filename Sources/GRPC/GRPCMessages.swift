import NIOCore
import Signals
import Synchronization

/// The messages of a client, in the order in which they arrive.
///
/// The connection reads no more of the stream while too many messages wait. Only one task may iterate.
package struct GRPCMessages: AsyncSequence, Sendable {
    package typealias Element = [UInt8]

    let input: MessageInput

    package struct AsyncIterator: AsyncIteratorProtocol {
        let input: MessageInput

        package mutating func next() async throws -> [UInt8]? { try await input.next() }
    }

    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(input: input) }

    /// Returns the next message; `nil` after the last one.
    ///
    /// - Throws: `CancellationError` in a cancelled task; a ``GRPCStatus`` if the client broke off or made an error.
    package func next() async throws -> [UInt8]? { try await input.next() }
}

/// The queue between a stream's handler and the task of its call.
final class MessageInput: Sendable {
    /// The numbers of waiting messages and bytes at which reading stops.
    private static let maximumMessages = 64
    private static let maximumBytes = 256 * 1024

    private enum End {
        case complete
        case failed(GRPCStatus)
    }

    private enum Step {
        case message(ReceivedMessage, makesRoom: Bool)
        case end(End)
        case wait
    }

    private struct State {
        var messages = CircularBuffer<ReceivedMessage>()
        /// The memory of the message that was taken last, until the task asks for the next one.
        var taken: MessageReservation?
        var bytes = 0
        var end: End?

        var isFull: Bool {
            messages.count >= MessageInput.maximumMessages || bytes >= MessageInput.maximumBytes
        }

        var isReady: Bool { !messages.isEmpty || end != nil }
    }

    private let state = Mutex(State())
    private let arrival = Signal()
    private let onRoom: @Sendable () -> Void

    /// Creates an empty queue.
    ///
    /// - Parameter onRoom: A function called each time the queue is no longer full.
    init(onRoom: @escaping @Sendable () -> Void) { self.onRoom = onRoom }

    var isFull: Bool { state.withLock { $0.isFull } }

    func receive(_ message: ReceivedMessage) {
        state.withLock { state in
            state.messages.append(message)
            state.bytes += message.bytes.count
        }
        arrival.notify()
    }

    /// Ends the messages. The task still receives those that wait.
    func finish() { end(.complete) }

    /// Ends the messages with an error, after those that wait.
    func fail(_ status: GRPCStatus) { end(.failed(status)) }

    private func end(_ end: End) {
        state.withLock { if $0.end == nil { $0.end = end } }
        arrival.notify()
    }

    func next() async throws -> [UInt8]? {
        while true {
            try Task.checkCancellation()
            switch take() {
            case .message(let message, let makesRoom):
                if makesRoom { onRoom() }
                return try message.decoded()
            case .end(.complete): return nil
            case .end(.failed(let status)): throw status
            case .wait: await arrival.wait { self.state.withLock { $0.isReady } }
            }
        }
    }

    private func take() -> Step {
        state.withLock { state in
            state.taken = nil
            let wasFull = state.isFull
            guard let message = state.messages.popFirst() else { return state.end.map(Step.end) ?? .wait }
            state.bytes -= message.bytes.count
            state.taken = message.reservation
            return .message(message, makesRoom: wasFull && !state.isFull)
        }
    }
}
