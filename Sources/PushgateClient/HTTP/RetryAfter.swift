internal import Foundation

/// The value of `Retry-After`, RFC 9110 §10.2.3: seconds, or a date.
enum RetryAfter {
    /// The longest wait that is believed, so that no gateway can silence a phone for good.
    static let longest = Duration.seconds(3_600)

    static func duration(_ text: String, now: Date) -> Duration? {
        let text = text.trimmingBlanks()
        if !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            return min(Int64(text).map(Duration.seconds) ?? longest, longest)
        }
        return date(text).map { min(max(.zero, .seconds($0.timeIntervalSince(now))), longest) }
    }

    /// IMF-fixdate, the one form that may still be written (RFC 9110 §5.6.7).
    private static func date(_ text: String) -> Date? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.date(from: text)
    }
}
