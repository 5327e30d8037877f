#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A moment in UTC to the microsecond, in the years 0001 to 9999: Firestore's timestamp.
public struct Timestamp: Hashable, Sendable {
    /// Microseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
    public let microseconds: Int64

    /// A moment before year 1 becomes its beginning, one after year 9999 its end.
    public init(microseconds: Int64) {
        self.microseconds = min(max(microseconds, Self.minimum), Self.maximum)
    }

    /// 0001-01-01T00:00:00Z and the last microsecond of 9999.
    private static let minimum: Int64 = -62_135_596_800_000_000
    private static let maximum: Int64 = 253_402_300_799_999_999
}

extension Timestamp {
    /// Whole seconds since 1970, rounded down.
    public var seconds: Int64 { (microseconds - (microseconds % 1_000_000 + 1_000_000) % 1_000_000) / 1_000_000 }

    public static let distantPast = Timestamp(microseconds: .min)
    public static let distantFuture = Timestamp(microseconds: .max)

    /// The system's clock.
    public static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }
}

extension Timestamp: Comparable {
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }
}

extension Timestamp {
    /// The moment that much later; fractions of a microsecond are dropped.
    public func adding(_ duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000)
        guard !overflows else { return seconds < 0 ? .distantPast : .distantFuture }
        let (total, tooFar) = microseconds.addingReportingOverflow(whole + attoseconds / 1_000_000_000_000)
        guard !tooFar else { return seconds < 0 ? .distantPast : .distantFuture }
        return Timestamp(microseconds: total)
    }

    /// How much later the left moment is.
    public static func - (left: Timestamp, right: Timestamp) -> Duration {
        .microseconds(left.microseconds - right.microseconds)
    }
}
