internal import DocumentStore

/// The question of a task's page, and who has answered it.
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
    let tally: PollTally

    /// - Parameters:
    ///   - takesPhotos: whether the gateway does.
    ///   - responses: the answers so far, of a task with ``HitRequest/respondents`` or a group poll.
    init(_ request: HitRequest, at time: Timestamp, takesPhotos: Bool, responses: [HitResponse] = []) {
        names = request.respondents
        tally = PollTally(responses)
        if let choices = CalendarChoices(request, at: time) {
            kind = .calendar(choices)
        } else if let choices = TaskChoices(request) {
            kind = .options(choices)
        } else {
            kind = request.kind == .photo && takesPhotos ? .photos : .text
        }
    }
}
