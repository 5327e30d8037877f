import DocumentStore

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
    init(_ request: TaskRequest, at time: Timestamp, takesPhotos: Bool, _ words: PageWords) {
        names = request.respondents
        if let choices = CalendarChoices(request, at: time) {
            kind = .calendar(choices)
        } else if let choices = TaskChoices(request, words) {
            kind = .options(choices)
        } else {
            kind = request.kind == .photo && takesPhotos ? .photos : .text
        }
    }
}
