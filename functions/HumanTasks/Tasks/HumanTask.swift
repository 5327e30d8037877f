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
        static let endsAt = "endsAt"
        fileprivate static let photoCount = "photoCount"
        fileprivate static let answerCount = "responseCount"
        fileprivate static let createdAt = "createdAt"
        fileprivate static let expiresAt = "expiresAt"
        fileprivate static let startedAt = "startedAt"
        fileprivate static let completedAt = "completedAt"
    }

    /// The maximum number of answers: enough for a poll of a school, but no flood.
    static let maximumAnswers = 500

    let id: String
    /// The id of the device that created the task.
    let deviceID: String
    let request: TaskRequest
    let createdAt: Timestamp
    let expiresAt: Timestamp
    private(set) var photoCount = 0
    private(set) var answerCount = 0
    private var startedAt: Timestamp?
    private var completedAt: Timestamp?

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
        answerCount = Int(document[Field.answerCount]?.integer ?? 0)
        startedAt = document[Field.startedAt]?.timestamp
        completedAt = document[Field.completedAt]?.timestamp
    }

    var fields: Fields {
        var fields = request.fields
        fields[HumanTasksDocuments.deviceID] = .string(deviceID)
        fields[Field.place] = .string("\(deviceID)/\(createdAt)/\(id)")
        fields[Field.photoCount] = .integer(Int64(photoCount))
        fields[Field.answerCount] = .integer(Int64(answerCount))
        fields[Field.createdAt] = .timestamp(createdAt)
        fields[Field.expiresAt] = .timestamp(expiresAt)
        fields[Field.endsAt] = .timestamp(completedAt ?? expiresAt)
        fields[Field.startedAt] = startedAt.map(Value.timestamp)
        fields[Field.completedAt] = completedAt.map(Value.timestamp)
        return fields
    }

    // MARK: Status

    var isCompleted: Bool { completedAt != nil }

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

    // MARK: Progress

    /// Starts the task, unless it has been started.
    mutating func start(at time: Timestamp) { startedAt = startedAt ?? time }

    /// - Throws: An error if the task accepts no more answers, see ``checkOpen(at:)``.
    mutating func complete(at time: Timestamp) throws(HumanTasksError) {
        try checkOpen(at: time)
        start(at: time)
        completedAt = time
    }

    /// Counts an answer, which starts the task.
    ///
    /// - Throws: ``HumanTasksError/tooManyAnswers`` if it has the maximum number of answers.
    mutating func countAnswer(at time: Timestamp) throws(HumanTasksError) {
        guard answerCount < Self.maximumAnswers else { throw .tooManyAnswers }
        answerCount += 1
        start(at: time)
    }

    /// Counts new photos, which start the task.
    mutating func countPhotos(_ count: Int, at time: Timestamp) {
        photoCount += count
        start(at: time)
    }

    // MARK: JSON

    /// Returns the task as a row of the contract.
    ///
    /// - Parameters:
    ///   - url: The link to the task.
    ///   - isOwner: `true` for the device that created the task. Only that device may see its id, which gives access
    ///     to its own data.
    func json(url: String, isOwner: Bool, now: Timestamp) -> JSONObject {
        [
            "id": .string(id), "url": .string(url), "sender_name": .string(request.senderName),
            "recipient_name": .string(request.recipientName), "task_description": .string(request.taskDescription),
            "agent_name": request.agent.json, "status": .string(status(at: now).rawValue),
            "photo_count": .integer(Int64(photoCount)), "response_count": .integer(Int64(answerCount)),
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
