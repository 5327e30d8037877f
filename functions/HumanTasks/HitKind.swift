/// The kind of answer that a task asks for.
enum HitKind: String, Hashable, Sendable {
    case photo
    case poll
    case availability
    case groupPoll = "group_poll"
    /// A text: tasks of older versions, which took any type.
    case question

    /// The kinds that can be asked for.
    static let all = [photo, poll, availability, groupPoll]

    /// - Parameter stored: the type of a stored task, which older versions took in any spelling; `nil` is a photo task.
    init(stored: String?) {
        switch stored?.lowercased().replacing("-", with: "_") {
        case nil, "photo", "photos": self = .photo
        case "poll": self = .poll
        case "availability", "group_availability": self = .availability
        case "group_poll": self = .groupPoll
        default: self = .question
        }
    }

    /// A Boolean value indicating whether the task stays open for others after an answer, until it expires.
    var isForMany: Bool {
        switch self {
        case .poll, .availability, .groupPoll: true
        case .photo, .question: false
        }
    }

    /// A Boolean value indicating whether each name has one answer, and the participants of the task, if it has some, are
    /// the only ones who can give one.
    var isForParticipants: Bool { self == .availability || self == .groupPoll }
}
