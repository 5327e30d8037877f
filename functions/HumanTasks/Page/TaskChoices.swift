internal import JSON

/// What there is to choose from, by a task's `config`: a poll's options, or times.
struct TaskChoices: Sendable {
    struct Option: Hashable, Sendable {
        /// As it was given, and goes into the answer.
        let value: JSONValue
        let label: String
    }

    private static let maximumOptions = 60

    let options: [Option]
    let takesSeveral: Bool

    /// nil when nothing is to be chosen.
    init?(_ request: HitRequest) {
        let config = request.config ?? [:]
        let values: [JSONValue]
        switch request.kind {
        case .poll:
            values = Self.list(config, "options", "choices")
            takesSeveral = ["multiple", "allow_multiple", "multi_select"].contains { config[$0]?.bool == true }
        case .availability:
            values = Self.times(config)
            takesSeveral = true
        case .photo, .other: return nil
        }
        let options = values.prefix(Self.maximumOptions).compactMap(Option.init)
        guard !options.isEmpty else { return nil }
        self.options = options
    }

    private static func list(_ config: JSONObject, _ names: String...) -> [JSONValue] {
        names.lazy.compactMap { config[$0]?.array }.first { !$0.isEmpty } ?? []
    }

    /// Slots; days; or, where both are given, every slot of every day.
    private static func times(_ config: JSONObject) -> [JSONValue] {
        let days = list(config, "dates", "days")
        let slots = list(config, "slots", "times", "time_slots", "options")
        if days.isEmpty || slots.isEmpty { return days + slots }
        return days.flatMap { day in
            slots.map { slot in
                guard let day = day.string, let slot = slot.string else { return slot }
                return .string("\(day) \(slot)")
            }
        }
    }
}

extension TaskChoices.Option {
    private static let maximumLabelLength = 200

    /// nil for what has nothing that could be shown.
    init?(_ value: JSONValue) {
        let label =
            switch value {
            case .string(let text): CalendarText.readable(text)
            case .integer(let number): String(number)
            case .double(let number): String(number)
            case .object(let object): Self.label(of: object)
            case .null, .bool, .array: ""
            }
        let line = label.shortened(to: Self.maximumLabelLength)
        guard !line.isEmpty else { return nil }
        self.init(value: value, label: line)
    }

    /// What it calls itself; or its day and times.
    private static func label(of object: JSONObject) -> String {
        func text(_ names: String...) -> String? { names.lazy.compactMap { object[$0]?.string }.first { !$0.isEmpty } }
        if let label = text("label", "text", "title", "name", "value") { return CalendarText.readable(label) }
        let day = text("date", "day").map(CalendarText.readable)
        let times = [text("start", "time", "from"), text("end", "to")].compactMap(\.self).map(CalendarText.readable)
        return [day, times.isEmpty ? nil : times.joined(separator: " – ")].compactMap(\.self).joined(separator: ", ")
    }
}
