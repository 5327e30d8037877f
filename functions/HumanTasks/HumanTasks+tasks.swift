import DocumentStore
import HTTPTypes
import JSON
import Messaging

/// The creation and reading of tasks.
extension HumanTasks {
    /// The maximum number of tasks in one response.
    static let longestList = 50

    // MARK: Creating

    @Sendable func createTask(_ request: FunctionRequest) async throws -> FunctionResponse {
        let device = try await device(calling: request)
        let distribution = try TaskDistribution(try await request.jsonObject(limit: Self.maximumBodyBytes))
        try distribution.check()
        if let seconds = newTasks.admit(device.id, count: distribution.count, at: now().seconds) {
            throw HumanTasksError.tooManyTasks(retryAfter: seconds)
        }
        let tasks = try await create(distribution.requests { "grp_" + makeID() }, of: device.id)
        return FunctionResponse(status: .created, body: .object(json(tasks, distribution, request)))
    }

    /// Stores new tasks in one commit, under unused ids.
    private func create(_ requests: [TaskRequest], of device: String) async throws -> [HumanTask] {
        while true {
            let time = now()
            let tasks = requests.map { HumanTask(id: makeID(), of: device, $0, at: time, lifetime: settings.lifetime) }
            if try await tryCreate(tasks) { return tasks }
            try Task.checkCancellation()
        }
    }

    private func tryCreate(_ tasks: [HumanTask]) async throws(StoreError) -> Bool {
        do {
            var writes: [Write] = []
            for task in tasks { writes.append(.create(try HumanTasksDocuments.task(task.id), task.fields)) }
            _ = try await store.commit(writes)
            return true
        } catch {
            guard error.code == .alreadyExists else { throw error }
            return false
        }
    }

    private func json(
        _ tasks: [HumanTask], _ distribution: TaskDistribution, _ request: FunctionRequest
    ) -> JSONObject {
        guard let first = tasks.first else { return [:] }
        guard let mode = distribution.request.mode else { return json(first, request, isOwner: true) }
        guard mode == .individual else {
            var json = json(first, request, isOwner: true)
            json["distribution_mode"] = .string(mode.rawValue)
            if mode == .group { json["participants"] = .array(distribution.participants.map(JSONValue.string)) }
            return json
        }
        let links = tasks.map { task -> JSONValue in
            [
                "name": .string(task.request.recipientName), "id": .string(task.id),
                "url": .string(url(of: task, request)),
            ]
        }
        return [
            "distribution_mode": .string(mode.rawValue), "group_id": .string(first.request.groupID ?? ""),
            "hits": .array(links), "count": .integer(Int64(tasks.count)),
            "sender_name": .string(first.request.senderName), "task_description": .string(first.request.task),
            "created_at": .string(first.createdAt.inMilliseconds),
        ]
    }

    // MARK: Showing

    @Sendable func listTasks(_ request: FunctionRequest) async throws -> FunctionResponse {
        let device = try await device(calling: request)
        var query = try tasks(of: device.id).ordered(by: FieldPath(HumanTask.Field.place), .descending)
            .limited(to: Self.longestList)
        if let group = request.query["group_id"] {
            query = query.where(FieldPath(TaskRequest.groupIDField), .equal, .string(group))
        }
        let tasks = unreadable.models(of: try await store.documents(matching: query)) { HumanTask($0) }
        return FunctionResponse(
            body: [
                "hits": .array(tasks.map { .object(json($0, request, isOwner: true)) }),
                "count": .integer(Int64(tasks.count)),
            ])
    }

    /// Returns a query for the tasks of a device, created before the given time if there is one.
    func tasks(of device: String, before time: Timestamp? = nil) throws(StoreError) -> Query {
        let place = FieldPath(HumanTask.Field.place)
        // The places of a device begin with its id and "/"; the next character after "/" is "0".
        let end = time.map { "\(device)/\($0)" } ?? device + "0"
        return Query.collection(try HumanTasksDocuments.allTasks())
            .where(place, .greaterThan, .string(device + "/")).where(place, .lessThan, .string(end))
    }

    /// Shows a task. The first GET request starts the task; a HEAD request does not.
    @Sendable func showTask(_ request: FunctionRequest) async throws -> FunctionResponse {
        let task = try await opened(try await task(of: request), isLooking: request.method == .get)
        let isOwner = try await optionalDevice(calling: request)?.id == task.deviceID
        return FunctionResponse(body: .object(json(task, request, isOwner: isOwner)))
    }

    /// Starts the task if it is viewed for the first time. Returns it unchanged if the store cannot write, because it
    /// can still be read.
    func opened(_ task: HumanTask, isLooking: Bool) async throws -> HumanTask {
        guard isLooking, task.status(at: now()) == .pending else { return task }
        do {
            return try await changing(task.id) { task in
                if task.status(at: now()) == .pending { task.startedAt = now() }
                return Change(result: ())
            }.task
        } catch let error as StoreError where error.code == .resourceExhausted || error.code == .unavailable {
            return task
        }
    }

    @Sendable func completeTask(_ request: FunctionRequest) async throws -> FunctionResponse {
        let id = try await task(of: request).id
        let completed = try await changing(id) { task in
            let time = now()
            guard task.completedAt == nil else { throw HumanTasksError.alreadyCompleted }
            try complete(&task, at: time)
            return Change(message: TaskNotification.completed(task), result: time)
        }
        return FunctionResponse(
            body: [
                "id": .string(id), "status": "completed",
                "photo_count": .integer(Int64(completed.task.photoCount)),
                "completed_at": .string(completed.result.inMilliseconds),
            ])
    }

    func complete(_ task: inout HumanTask, at time: Timestamp) throws(HumanTasksError) {
        try task.checkOpen(at: time)
        task.startedAt = task.startedAt ?? time
        task.completedAt = time
    }

    // MARK: Finding

    /// Returns the task in the path.
    func task(of request: FunctionRequest) async throws -> HumanTask {
        guard let id = request.parameters["hit"], TaskID.isWellFormed(id),
            let task = try await store.document(at: try HumanTasksDocuments.task(id)).flatMap(HumanTask.init)
        else { throw HumanTasksError.taskNotFound }
        return task
    }

    /// Returns the task in the path if it belongs to the caller. A task of another device is treated as missing.
    func ownTask(of request: FunctionRequest) async throws -> HumanTask {
        let device = try await device(calling: request)
        let task = try await task(of: request)
        guard task.deviceID == device.id else { throw HumanTasksError.taskNotFound }
        return task
    }

    private func json(_ task: HumanTask, _ request: FunctionRequest, isOwner: Bool) -> JSONObject {
        task.json(url: url(of: task, request), isOwner: isOwner, now: now())
    }

    private func url(of task: HumanTask, _ request: FunctionRequest) -> String { baseURL(request) + "/hit/" + task.id }

    /// Returns the beginning of links.
    func baseURL(_ request: FunctionRequest) -> String { settings.publicURL ?? request.origin ?? "" }
}
