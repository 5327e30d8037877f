import DocumentStore
import JSON

/// The question of a task's page, and the people who can answer it.
struct TaskQuestion: Sendable {
    enum Kind: Sendable {
        case calendar(CalendarChoices)
        case options(TaskChoices)
        /// Photos, with an optional text.
        case photos
        /// A text, or photos.
        case text
    }

    /// The kind of answer.
    let kind: Kind
    /// The names that can answer; empty if any name can.
    let names: [String]

    /// - Parameter takesPhotos: `true` if the gateway accepts photos.
    init(_ request: TaskRequest, at time: Timestamp, takesPhotos: Bool) {
        names = request.respondents
        if let choices = CalendarChoices(request, at: time) {
            kind = .calendar(choices)
        } else if let choices = TaskChoices(request) {
            kind = .options(choices)
        } else {
            kind = request.kind == .photo && takesPhotos ? .photos : .text
        }
    }
}

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
    init?(_ request: TaskRequest) {
        guard request.kind == .poll || request.kind == .groupPoll else { return nil }
        let config = request.config ?? [:]
        takesSeveral = ["multiple", "allow_multiple", "multi_select"].contains { config[$0]?.bool == true }
        var seen: Set<Option> = []
        let options = config.firstList("options", "choices").prefix(Self.maximumOptions).compactMap(Option.init)
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

    /// Returns the option's own label, or its day and times.
    private static func label(of object: JSONObject) -> String {
        func text(_ names: String...) -> String? { names.lazy.compactMap { object[$0]?.string }.first { !$0.isEmpty } }
        if let label = text("label", "text", "title", "name", "value") { return CalendarText.readable(label) }
        let date = text("date", "day")
        let times = [text("start", "time", "from"), text("end", "to")].compactMap(\.self).map { time in
            CalendarText.readable(
                date.flatMap { time.hasPrefix($0 + "T") ? String(time.dropFirst($0.count + 1)) : nil } ?? time)
        }
        let day = date.map(CalendarText.readable)
        return [day, times.isEmpty ? nil : times.joined(separator: " – ")].compactMap(\.self).joined(separator: ", ")
    }
}
