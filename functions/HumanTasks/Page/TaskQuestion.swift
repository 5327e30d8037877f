internal import DocumentStore

/// The question of a task's page, and who can answer it.
struct TaskQuestion: Sendable {
    enum Kind: Sendable {
        case calendar(CalendarChoices)
        case options(TaskChoices)
        /// Photos, and a word if one likes.
        case photos
        /// A text, or photos.
        case text
    }

    let kind: Kind
    /// The names that can answer; empty if anybody can.
    let names: [String]

    /// - Parameter takesPhotos: whether the gateway does.
    init(_ request: HitRequest, at time: Timestamp, takesPhotos: Bool) {
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
