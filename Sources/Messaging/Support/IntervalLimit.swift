/// A limit of one event in an interval, such as of log lines that report the same. It does no I/O.
package struct IntervalLimit: Sendable {
    /// A limit of one event an hour.
    package static let hourly = IntervalLimit(everySeconds: 3_600)

    private let interval: Int64
    private var last: Int64?

    package init(everySeconds interval: Int64) { self.interval = interval }

    /// Returns `true` if no event was admitted within the interval before a time, in seconds, and admits one.
    ///
    /// A time before that of the last event shows that the clock was set back: the event is admitted.
    package mutating func admit(at time: Int64) -> Bool {
        if let last, (0..<interval).contains(time - last) { return false }
        last = time
        return true
    }
}
