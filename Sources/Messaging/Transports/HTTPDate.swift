import Texts

/// A parser for the times in header fields (RFC 9110 §5.6.7), in the one form that servers may still send.
package enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

    /// Returns the seconds since 1970 for a text such as `Sun, 06 Nov 1994 08:49:37 GMT`; `nil` for any other form. The
    /// name of the day is not compared with the date.
    package static func seconds(of text: String) -> Int64? {
        guard text.utf8.count == 29 else { return nil }
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[5] == "GMT", parts[0].hasSuffix(","),
            weekdays.contains(String(parts[0].dropLast())), let month = months.firstIndex(of: String(parts[2])),
            let day = number(parts[1], digits: 2), (1...31).contains(day), let year = number(parts[3], digits: 4)
        else { return nil }
        let time = parts[4].split(separator: ":", omittingEmptySubsequences: false).map { number($0, digits: 2) }
        guard time.count == 3, let hour = time[0], hour < 24, let minute = time[1], minute < 60, let second = time[2],
            second <= 60
        else { return nil }
        return ((days(year: year, month: Int64(month) + 1, day: day) * 24 + hour) * 60 + minute) * 60 + second
    }

    private static func number(_ text: Substring, digits: Int) -> Int64? {
        text.utf8.count == digits && text.utf8.allSatisfy(\.isASCIIDigit) ? Int64(text) : nil
    }

    /// Returns the days since 1970 in the Gregorian calendar. Years begin in March here, so that the day of a leap year
    /// is the last one.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let year = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }
}
