package import NIOCore

/// The limits of a request's arrival.
package struct RequestLimits: Sendable {
    /// The time from the first byte to the last, without that which the body earns.
    let timeout: TimeAmount
    /// The maximum number of bytes of a body that extend the deadline.
    let largestBody: Int

    package init(timeout: TimeAmount, largestBody: Int) {
        self.timeout = timeout
        self.largestBody = largestBody
    }
}

/// The time at which a request must be complete: later by one second for each 16 KiB of its body that have arrived, up
/// to the largest body that any endpoint reads.
struct RequestDeadline {
    /// The slowest permitted pace of a body, in bytes per second.
    private static let slowestPace = 16 * 1024

    private let limits: RequestLimits
    private let start: NIODeadline
    /// The bytes of the body that count.
    private var received = 0

    /// Creates the deadline of a request.
    ///
    /// - Parameter start: The time of its first byte.
    init(_ limits: RequestLimits, from start: NIODeadline) {
        self.limits = limits
        self.start = start
    }

    mutating func receive(_ count: Int) { received = min(received + count, limits.largestBody) }

    var time: NIODeadline {
        let (seconds, rest) = received.quotientAndRemainder(dividingBy: Self.slowestPace)
        return start + limits.timeout + .seconds(Int64(seconds))
            + .nanoseconds(Int64(rest * 1_000_000_000 / Self.slowestPace))
    }
}
