/// The kind of answer to a task.
enum TaskKind: String, Hashable, Sendable {
    case photo
    case poll
    case availability
    case groupPoll = "group_poll"
    /// A text. Only tasks of older versions, which accepted any type, are of this kind.
    case question

    /// The kinds that a new task can have.
    static let all = [photo, poll, availability, groupPoll]

    /// - Parameter stored: The type of a stored task, which older versions accepted in any spelling; `nil` is a photo
    ///   task.
    init(stored: String?) {
        switch stored?.lowercased().replacing("-", with: "_") {
        case nil, "photo", "photos": self = .photo
        case "poll": self = .poll
        case "availability", "group_availability": self = .availability
        case "group_poll": self = .groupPoll
        default: self = .question
        }
    }

    /// `true` if the task accepts further answers until it expires.
    var isForMany: Bool {
        switch self {
        case .poll, .availability, .groupPoll: true
        case .photo, .question: false
        }
    }

    /// `true` if each name can answer once. If the task has participants, only they can answer.
    var isForParticipants: Bool { self == .availability || self == .groupPoll }
}
