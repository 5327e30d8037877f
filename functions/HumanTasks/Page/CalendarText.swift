import DocumentStore

/// A formatter of days for people.
enum CalendarText {
    /// Formats `2026-12-01` as `Tue 1 Dec 2026`, and `2026-12-01T10:00+02:00` with `, 10:00 +02:00` after it. Any
    /// other text stays unchanged.
    static func readable(_ text: String, _ words: PageWords = .english) -> String {
        let date = text.prefix(10)
        guard let moment = Timestamp("\(date)T00:00:00Z") else { return text }
        let rest = text.dropFirst(10)
        let time = /[T ]((?:[01][0-9]|2[0-3]):[0-5][0-9])(?::[0-9]{2}(?:\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?/
        if rest.isEmpty { return day(moment, words) }
        if let match = rest.wholeMatch(of: time) {
            let zone = match.2.map { $0 == "Z" ? " UTC" : " \($0)" } ?? ""
            return "\(day(moment, words)), \(match.1)\(zone)"
        }
        return rest.hasPrefix(" ") ? "\(day(moment, words)), \(rest.dropFirst())" : text
    }

    /// Returns `true` if the text begins with a day, such as `2026-12-01T10:00`.
    static func hasDay(_ text: String) -> Bool { Timestamp("\(text.prefix(10))T00:00:00Z") != nil }

    /// Formats the day of a time, in UTC.
    static func day(_ moment: Timestamp, _ words: PageWords) -> String {
        let parts = moment.description.prefix(10).split(separator: "-")
        guard parts.count == 3, let month = Int(parts[1]), let day = Int(parts[2]) else { return "" }
        // 1970-01-01 was a Thursday.
        let weekday = Int(((moment.seconds / 86_400 + 4) % 7 + 7) % 7)
        return words(
            .day,
            [
                "weekday": words.weekdays[weekday], "day": String(day), "month": words.months[month - 1],
                "year": String(parts[0]),
            ])
    }
}
