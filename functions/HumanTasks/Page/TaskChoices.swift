import JSON

/// The options of a poll, from its `config`.
struct TaskChoices: Sendable {
    struct Option: Hashable, Sendable {
        /// The value in the config and in the answer.
        let value: JSONValue
        let label: String
    }

    private static let maximumOptions = 60

    let options: [Option]
    let takesSeveral: Bool

    /// Returns `nil` if the task offers no options.
    ///
    /// - Parameter words: The words of days in labels.
    init?(_ request: TaskRequest, _ words: PageWords = .english) {
        guard request.kind == .poll || request.kind == .groupPoll else { return nil }
        let config = request.config ?? [:]
        takesSeveral = ["multiple", "allow_multiple", "multi_select"].contains { config[$0]?.bool == true }
        var seen: Set<Option> = []
        let options = config.firstList("options", "choices").prefix(Self.maximumOptions)
            .compactMap { Option($0, words) }
            .filter { seen.insert($0).inserted }
        guard !options.isEmpty else { return nil }
        self.options = options
    }
}

extension JSONObject {
    /// Returns the first of these members that is a non-empty array.
    func firstList(_ names: String...) -> [JSONValue] {
        names.lazy.compactMap { self[$0]?.array }.first { !$0.isEmpty } ?? []
    }
}

extension TaskChoices.Option {
    private static let maximumLabelLength = 200

    /// Returns `nil` if the value has no text to show.
    init?(_ value: JSONValue, _ words: PageWords) {
        let label =
            switch value {
            case .string(let text): CalendarText.readable(text, words)
            case .integer(let number): String(number)
            case .double(let number): String(number)
            case .object(let object): Self.label(of: object, words)
            case .null, .bool, .array: ""
            }
        let line = label.shortened(to: Self.maximumLabelLength)
        guard !line.isEmpty else { return nil }
        self.init(value: value, label: line)
    }

    /// Returns the option's own label, or its day and times.
    private static func label(of object: JSONObject, _ words: PageWords) -> String {
        func text(_ names: String...) -> String? { names.lazy.compactMap { object[$0]?.string }.first { !$0.isEmpty } }
        if let label = text("label", "text", "title", "name", "value") { return CalendarText.readable(label, words) }
        let date = text("date", "day")
        let times = [text("start", "time", "from"), text("end", "to")].compactMap(\.self).map { time in
            CalendarText.readable(
                date.flatMap { time.hasPrefix($0 + "T") ? String(time.dropFirst($0.count + 1)) : nil } ?? time, words)
        }
        let day = date.map { CalendarText.readable($0, words) }
        return [day, times.isEmpty ? nil : times.joined(separator: " – ")].compactMap(\.self).joined(separator: ", ")
    }
}
