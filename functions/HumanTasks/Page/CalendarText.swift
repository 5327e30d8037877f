internal import DocumentStore

/// Days as people write them.
enum CalendarText {
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// `2026-12-01` is `Tue 1 Dec 2026`, and `2026-12-01T10:00` has `, 10:00` after it; any other text stays as it is.
    static func readable(_ text: String) -> String {
        let pattern = /([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ]([0-9]{2}:[0-9]{2})(?::[0-9]{2}(?:\.[0-9]+)?)?(Z)?| (.+))?/
        guard let match = text.wholeMatch(of: pattern), let moment = Timestamp("\(match.1)T00:00:00Z") else {
            return text
        }
        let rest = match.2.map { $0 + (match.3 == nil ? "" : " UTC") } ?? match.4
        return day(moment) + (rest.map { ", \($0)" } ?? "")
    }

    /// In UTC.
    static func day(_ moment: Timestamp) -> String {
        let parts = moment.description.prefix(10).split(separator: "-")
        guard parts.count == 3, let month = Int(parts[1]), let day = Int(parts[2]) else { return "" }
        // 1970-01-01 was a Thursday.
        let weekday = Int(((moment.seconds / 86_400 + 4) % 7 + 7) % 7)
        return "\(weekdays[weekday]) \(day) \(months[month - 1]) \(parts[0])"
    }
}
