/// The pace of an answer between the task that writes it and the client that reads it: whether the task must wait, and
/// whether the event loop must be woken.
package struct OutputPace: Sendable {
    /// The number of bytes that may wait for the client before writers wait.
    private static let maximumUnsentBytes = 64 * 1024

    /// The number of written bytes that the client's flow-control window or the socket has not taken.
    private var unsent = 0
    private var isScheduled = false
    /// `true` if nothing more is sent.
    package private(set) var isClosed = false

    /// Creates the pace of an answer without bytes.
    package init() {}

    /// `true` if a writer need not wait.
    package var hasRoom: Bool { isClosed || unsent < Self.maximumUnsentBytes }

    /// Counts bytes that were written.
    package mutating func write(_ count: Int) { unsent += count }

    /// Counts bytes that have left, or are lost with the stream.
    package mutating func sent(_ count: Int) { unsent -= count }

    /// Returns `true` if the event loop must be woken: once for all that is written before it takes it.
    package mutating func schedules() -> Bool {
        guard !isScheduled, !isClosed else { return false }
        isScheduled = true
        return true
    }

    /// Notes that the event loop takes what waits.
    package mutating func take() { isScheduled = false }

    /// Ends the answer: nothing more is sent.
    package mutating func close() { isClosed = true }
}
