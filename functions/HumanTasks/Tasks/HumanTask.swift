import DocumentStore
import JSON

/// A task for a person, with its progress. The app calls it a “HIT”.
///
/// `humanTasks/{id}`: `deviceId` (the owner), `place` (the sort key in a device's list), the fields of the request
/// (with `config` as JSON text), `photoCount`, `responseCount`, `createdAt`, `expiresAt`, `startedAt`?,
/// `completedAt`?, `endsAt` (the time after which no answer is accepted)
struct HumanTask: Sendable {
    enum Status: String, CaseIterable, Sendable {
        case pending
        case inProgress = "in_progress"
        case completed
        case expired
    }

    enum Field {
        static let place = "place"
        static let photoCount = "photoCount"
        static let responseCount = "responseCount"
        static let createdAt = "createdAt"
        static let expiresAt = "expiresAt"
        static let startedAt = "startedAt"
        static let completedAt = "completedAt"
        static let endsAt = "endsAt"
    }

    let id: String
    let deviceID: String
    let request: TaskRequest
    let createdAt: Timestamp
    let expiresAt: Timestamp
    var photoCount = 0
    var responseCount = 0
    var startedAt: Timestamp?
    var completedAt: Timestamp?

    init(id: String, of device: String, _ request: TaskRequest, at time: Timestamp, lifetime: Duration) {
        self.id = id
        deviceID = device
        self.request = request
        createdAt = time
        expiresAt = time.adding(lifetime)
    }

    /// Returns `nil` if the document lacks a required field.
    init?(_ document: Document) {
        guard let deviceID = document[HumanTasksDocuments.deviceID]?.string, let request = TaskRequest(document),
            let createdAt = document[Field.createdAt]?.timestamp, let expiresAt = document[Field.expiresAt]?.timestamp
        else { return nil }
        id = document.path.id
        self.deviceID = deviceID
        self.request = request
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        photoCount = Int(document[Field.photoCount]?.integer ?? 0)
        responseCount = Int(document[Field.responseCount]?.integer ?? 0)
        startedAt = document[Field.startedAt]?.timestamp
        completedAt = document[Field.completedAt]?.timestamp
    }

    var fields: Fields {
        var fields = request.fields
        fields[HumanTasksDocuments.deviceID] = .string(deviceID)
        fields[Field.place] = .string("\(deviceID)/\(createdAt)/\(id)")
        fields[Field.photoCount] = .integer(Int64(photoCount))
        fields[Field.responseCount] = .integer(Int64(responseCount))
        fields[Field.createdAt] = .timestamp(createdAt)
        fields[Field.expiresAt] = .timestamp(expiresAt)
        fields[Field.endsAt] = .timestamp(completedAt ?? expiresAt)
        fields[Field.startedAt] = startedAt.map(Value.timestamp)
        fields[Field.completedAt] = completedAt.map(Value.timestamp)
        return fields
    }

    func status(at time: Timestamp) -> Status {
        completedAt == nil && time >= expiresAt ? .expired : progress
    }

    /// The status without regard to the expiry: an expired task keeps the one that it had before.
    private var progress: Status {
        if completedAt != nil { return .completed }
        return startedAt == nil ? .pending : .inProgress
    }

    /// Returns `true` if the task has the status, or had it when it expired. Apps that know no expiry delete their
    /// expired tasks as pending ones.
    func matches(_ status: Status, at time: Timestamp) -> Bool {
        status == progress || status == self.status(at: time)
    }

    /// - Throws: ``HumanTasksError/completed`` or ``HumanTasksError/expired`` if the task accepts no more answers.
    func checkOpen(at time: Timestamp) throws(HumanTasksError) {
        switch status(at: time) {
        case .completed: throw .completed
        case .expired: throw .expired
        case .pending, .inProgress: break
        }
    }

    /// Returns the task as a row of the contract.
    ///
    /// - Parameters:
    ///   - url: The link to the task.
    ///   - isOwner: `true` for the device that created the task. Only that device may see its id, which gives access
    ///     to its own data.
    func json(url: String, isOwner: Bool, now: Timestamp) -> JSONObject {
        [
            "id": .string(id), "url": .string(url), "sender_name": .string(request.senderName),
            "recipient_name": .string(request.recipientName), "task_description": .string(request.task),
            "agent_name": request.agent.json, "status": .string(status(at: now).rawValue),
            "photo_count": .integer(Int64(photoCount)), "response_count": .integer(Int64(responseCount)),
            "created_at": .string(createdAt.inMilliseconds), "started_at": startedAt.json,
            "completed_at": completedAt.json, "expires_at": .string(expiresAt.inMilliseconds),
            "device_id": isOwner ? .string(deviceID) : .null, "hit_type": .string(request.kind.rawValue),
            "config": request.config.map { .string(JSONValue.object($0).text) } ?? .null,
            "group_id": request.groupID.json,
        ]
    }
}

extension Timestamp? {
    fileprivate var json: JSONValue { map { .string($0.inMilliseconds) } ?? .null }
}

extension String? {
    fileprivate var json: JSONValue { map(JSONValue.string) ?? .null }
}

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

/// The id of a task, which is the secret in its link: eight letters and digits without look-alikes (46 random
/// bits).
enum TaskID {
    private static let alphabet = Array("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
    private static let length = 8

    /// Makes an id with the system's generator, which is unpredictable.
    @Sendable static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return String((0..<length).map { _ in alphabet[Int.random(in: alphabet.indices, using: &generator)] })
    }

    static func isWellFormed(_ text: String) -> Bool { text.count == length && text.allSatisfy(alphabet.contains) }
}
