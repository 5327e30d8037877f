import DocumentStore
import JSON

/// The days of a group poll, or the days and times of an availability task.
struct CalendarChoices: Sendable {
    /// A day, or a time on a day.
    struct Slot: Hashable, Sendable {
        let date: String
        /// `nil` for the whole day.
        var time: String?

        /// The value in the page's form.
        var value: String { time.map { "\(date)|\($0)" } ?? date }
        /// The value in the answer, in the form that the app counts.
        var json: JSONValue { time.map { ["date": .string(date), "time": .string($0)] } ?? .string(date) }
    }

    private static let maximumDays = 31
    private static let maximumTimes = 24
    private static let maximumLabelLength = 60
    private static let defaultDays = 5
    private static let defaultTimes = ["5 PM", "6 PM", "7 PM", "8 PM"]

    /// The text above the choices; `nil` if the task has none.
    let title: String?
    /// The choices in display order, grouped by day.
    let slots: [Slot]
    /// The choices of the previous day, for a page that was opened before midnight.
    private let earlier: [Slot]
    /// The member of the answer that contains the chosen slots.
    let field: String

    /// Returns `nil` if the task offers no days.
    ///
    /// - Parameter time: The time at which the page is shown or its form is sent.
    init?(_ request: TaskRequest, at time: Timestamp) {
        let config = request.config ?? [:]
        switch request.kind {
        case .groupPoll:
            slots = Self.texts(config.firstList("date_options", "dates"), Self.maximumDays).map { Slot(date: $0) }
            earlier = []
            field = "selected_dates"
        case .availability:
            slots = Self.slots(config, at: time)
            earlier = Self.slots(config, at: time.adding(.seconds(-24 * 60 * 60)))
            field = "available_slots"
        case .photo, .poll, .question: return nil
        }
        guard !slots.isEmpty else { return nil }
        title = ["title", "context"].lazy.compactMap { config[$0]?.string?.shortened(to: 200) }.first { !$0.isEmpty }
    }

    /// The slots by day.
    var days: [(date: String, slots: [Slot])] {
        slots.reduce(into: []) { days, slot in
            if days.last?.date == slot.date {
                days[days.count - 1].slots.append(slot)
            } else {
                days.append((slot.date, [slot]))
            }
        }
    }

    /// Returns the slots with these values, in order.
    func chosen(_ values: Set<String>) -> [Slot] {
        let known = Set(slots)
        return (earlier.filter { !known.contains($0) } + slots).filter { values.contains($0.value) }
    }

    // MARK: Reading

    /// Returns every time of every day, and the times that have a day of their own.
    private static func slots(_ config: JSONObject, at time: Timestamp) -> [Slot] {
        let listed = config.firstList("time_slots", "times", "slots", "options")
        let own = listed.compactMap { Slot($0) }
        let dates = texts(config.firstList("date_options", "dates", "days"), maximumDays)
        guard own.isEmpty || !dates.isEmpty else { return own.grouped(maximumDays * maximumTimes) }
        let times = texts(listed.filter { Slot($0) == nil }, maximumTimes)
        let slots = (dates.isEmpty ? nextDays(config, after: time) : dates).flatMap { date in
            (times.isEmpty ? defaultTimes : times).map { Slot(date: date, time: $0) }
        }
        return (slots + own).grouped(maximumDays * maximumTimes)
    }

    /// Returns the days from tomorrow on, in UTC.
    private static func nextDays(_ config: JSONObject, after time: Timestamp) -> [String] {
        let days = config["days"]?.double ?? Double(defaultDays)
        let count = Int(min(max(1, days), Double(maximumDays)))
        return (1...count).map { day in
            String(time.adding(.seconds(Int64(day) * 24 * 60 * 60)).description.prefix(10))
        }
    }

    private static func texts(_ values: [JSONValue], _ most: Int) -> [String] {
        var seen: Set<String> = []
        let texts = values.compactMap { $0.string?.shortened(to: maximumLabelLength) }
        return Array(texts.filter { !$0.isEmpty && seen.insert($0).inserted }.prefix(most))
    }
}

extension CalendarChoices.Slot {
    /// Reads a time with a day: `2026-12-01T10:00`, `2026-12-01 6 PM`, or an object with a `date` and a `start`.
    /// Returns `nil` for any other value.
    init?(_ value: JSONValue) {
        func text(_ names: String...) -> String? {
            names.lazy.compactMap { value[$0]?.string?.shortened(to: 60) }.first { !$0.isEmpty }
        }
        if let text = value.string?.shortened(to: 60) {
            guard CalendarText.hasDay(text), text.utf8.count > 11 else { return nil }
            self.init(date: String(text.prefix(10)), time: String(text.dropFirst(11)))
        } else {
            guard let start = text("start", "time", "from") else { return nil }
            guard let date = text("date", "day") ?? (CalendarText.hasDay(start) ? String(start.prefix(10)) : nil) else {
                return nil
            }
            let times = [start, text("end", "to")].compactMap(\.self).map { time in
                time.hasPrefix(date) && time.count > 11 ? String(time.dropFirst(11)) : time
            }
            self.init(date: date, time: times.joined(separator: " – "))
        }
    }
}

extension [CalendarChoices.Slot] {
    /// Returns each slot once, grouped by day, in the order of the days' first slots.
    fileprivate func grouped(_ most: Int) -> [CalendarChoices.Slot] {
        var seen: Set<CalendarChoices.Slot> = []
        var order: [String: Int] = [:]
        for slot in self where order[slot.date] == nil { order[slot.date] = order.count }
        let slots = filter { seen.insert($0).inserted }.enumerated().sorted {
            (order[$0.element.date] ?? 0, $0.offset) < (order[$1.element.date] ?? 0, $1.offset)
        }
        return slots.prefix(most).map(\.element)
    }
}
