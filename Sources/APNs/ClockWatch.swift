/// Whether this machine's clock agrees with APNs': pure.
///
/// Provider tokens carry the time they were made at, and are refused when they seem older than an hour or from the future.
struct ClockWatch: Sendable {
    private var nextCheck = Int64.min
    private var nextReport = Int64.min

    /// In seconds: how often answers are looked at, how far off a clock may be, and how often that is said.
    private static let checkInterval: Int64 = 60
    private static let tolerance: Int64 = 300
    private static let reportInterval: Int64 = 3_600

    /// Whether it is time to look at an answer's `Date`.
    mutating func isDue(at now: Int64) -> Bool {
        // Or the clock was set back since.
        guard now >= nextCheck || now < nextCheck - Self.checkInterval else { return false }
        nextCheck = now + Self.checkInterval
        return true
    }

    /// - Parameters:
    ///   - date: what the answer said, in seconds since 1970.
    ///   - now: what this machine says.
    /// - Returns: what to report, when there is something, and it was not reported within the hour.
    mutating func report(date: Int64, now: Int64) -> String? {
        let ahead = now - date
        guard abs(ahead) > Self.tolerance, now >= nextReport || now < nextReport - Self.reportInterval
        else { return nil }
        nextReport = now + Self.reportInterval
        return """
            this machine's clock is \(Self.words(abs(ahead))) \(ahead > 0 ? "ahead of" : "behind") APNs'; provider tokens \
            carry its time and are refused when it is far off: have it set by NTP
            """
    }

    private static func words(_ seconds: Int64) -> String {
        seconds < 7_200 ? "\(seconds / 60) minutes" : "\(seconds / 3_600) hours"
    }
}
