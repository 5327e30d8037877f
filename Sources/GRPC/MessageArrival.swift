import NIOCore

/// The time within which a client's message must arrive, so that unfinished messages do not fill the memory.
struct MessageArrival {
    /// The slowest permitted pace, in bytes per second.
    private static let slowestPace = 16 * 1024

    private let timeout: TimeAmount
    private let maximumBytes: Int
    private var beginning: NIODeadline?
    private var received = 0

    /// Creates an arrival that has not begun.
    ///
    /// - Parameter maximumBytes: The maximum number of bytes that extend the time.
    init(timeout: TimeAmount, maximumBytes: Int) {
        self.timeout = timeout
        self.maximumBytes = maximumBytes
    }

    /// Begins to wait for a message, unless one is awaited already.
    mutating func begin(at now: NIODeadline) {
        if beginning == nil { beginning = now }
    }

    /// Begins again, after an interruption that the client did not cause.
    mutating func restart(at now: NIODeadline) { beginning = now }

    mutating func receive(_ count: Int) { received = min(received + count, maximumBytes) }

    /// Ends the wait: the message is complete, or no message is awaited.
    mutating func end() { (beginning, received) = (nil, 0) }

    /// The time at which the message is too late; `nil` if none is awaited.
    var deadline: NIODeadline? {
        beginning.map { $0 + timeout + .nanoseconds(Int64(received) * 1_000_000_000 / Int64(Self.slowestPace)) }
    }
}
