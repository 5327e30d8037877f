internal import DocumentStore
internal import JSON

/// A task that somebody is asked to do, and how far it has come: a “HIT”, as the app calls it.
///
/// `humanTasks/{id}`: `deviceId` (whose it is), `place` (by which a device's are listed), what was asked for (of which
/// `config` is JSON text), `photoCount`, `responseCount`, `createdAt`, `expiresAt`, `startedAt`?,
/// `completedAt`?, `endsAt` (from when on nobody can answer)
struct Hit: Sendable {
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
    let request: HitRequest
    let createdAt: Timestamp
    let expiresAt: Timestamp
    var photoCount = 0
    var responseCount = 0
    var startedAt: Timestamp?
    var completedAt: Timestamp?

    init(id: String, of device: String, _ request: HitRequest, at time: Timestamp, lifetime: Duration) {
        self.id = id
        deviceID = device
        self.request = request
        createdAt = time
        expiresAt = time.adding(lifetime)
    }

    /// nil when the document lacks what a task has.
    init?(_ document: Document) {
        guard let deviceID = document[HumanTasksDocuments.deviceID]?.string, let request = HitRequest(document),
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
        if completedAt != nil { return .completed }
        if time >= expiresAt { return .expired }
        return startedAt == nil ? .pending : .inProgress
    }

    /// - Throws: when nobody can answer any more.
    func checkOpen(at time: Timestamp) throws(HumanTasksError) {
        switch status(at: time) {
        case .completed: throw .completed
        case .expired: throw .expired
        case .pending, .inProgress: break
        }
    }

    /// The row of the contract.
    ///
    /// - Parameters:
    ///   - url: the link to the task.
    ///   - isOwner: whether the device that asked gets it. Nobody else sees its id, which opens what is its own.
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
