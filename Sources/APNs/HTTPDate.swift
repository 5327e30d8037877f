internal import Foundation

/// `Date` (RFC 9110 §5.6.7), in the one form that may still be written.
enum HTTPDate {
    /// Returns the seconds since 1970 of a text such as `Sun, 06 Nov 1994 08:49:37 GMT`; `nil` for anything else.
    static func seconds(of text: String) -> Int64? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.date(from: text).map { Int64($0.timeIntervalSince1970) }
    }
}
