import Messaging

/// A comparison of this machine's clock with APNs' clock, without I/O.
///
/// Provider tokens carry the time of their creation. APNs refuses those that seem older than an hour or in the
/// future.
struct ClockWatch: Sendable {
    private var checks = IntervalLimit(everySeconds: 60)
    private var reports = IntervalLimit.hourly

    /// The tolerated difference, in seconds.
    private static let tolerance: Int64 = 300

    /// Returns `true` if the `Date` of the answer to a request that is sent now is to be checked.
    mutating func isDue(at now: Int64) -> Bool { checks.admit(at: now) }

    /// Returns a text for the log; `nil` if the clocks agree, or if a report was made within the hour.
    ///
    /// - Parameters:
    ///   - date: the time in the answer, in seconds since 1970.
    ///   - now: this machine's time, in seconds since 1970.
    mutating func report(date: Int64, now: Int64) -> String? {
        let ahead = now - date
        guard abs(ahead) > Self.tolerance, reports.admit(at: now) else { return nil }
        return """
            found this machine's clock \(Self.words(abs(ahead))) \(ahead > 0 ? "ahead of" : "behind") APNs'; provider tokens \
            carry its time and are refused when it is far off: have it set by NTP
            """
    }

    private static func words(_ seconds: Int64) -> String {
        seconds < 7_200 ? "\(seconds / 60) minutes" : "\(seconds / 3_600) hours"
    }
}
