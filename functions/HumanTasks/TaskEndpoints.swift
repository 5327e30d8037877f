import DocumentStore
import HTTPTypes
import JSON

/// The endpoints that create, show and complete tasks.
struct TaskEndpoints: Sendable {
    private let tasks: TaskStore
    private let creation: TaskCreation
    private let lists: TaskLists
    private let access: TaskAccess
    private let callers: TaskCallers
    private let links: TaskLinks
    private let now: @Sendable () -> Timestamp

    init(
        tasks: TaskStore, creation: TaskCreation, lists: TaskLists, access: TaskAccess, callers: TaskCallers,
        links: TaskLinks, now: @escaping @Sendable () -> Timestamp
    ) {
        self.tasks = tasks
        self.creation = creation
        self.lists = lists
        self.access = access
        self.callers = callers
        self.links = links
        self.now = now
    }

    @Sendable func create(_ request: FunctionRequest) async throws -> FunctionResponse {
        let device = try await callers.device(calling: request)
        let distribution = try TaskDistribution(try await request.jsonObject(limit: HumanTasks.maximumBodyBytes))
        let tasks = try await creation.create(distribution, of: device.id)
        return FunctionResponse(status: .created, body: .object(json(tasks, distribution, request)))
    }

    @Sendable func list(_ request: FunctionRequest) async throws -> FunctionResponse {
        let device = try await callers.device(calling: request)
        let tasks = try await lists.latest(of: device.id, group: request.query["group_id"])
        return FunctionResponse(
            body: [
                "hits": .array(tasks.map { .object(json($0, request, isOwner: true)) }),
                "count": .integer(Int64(tasks.count)),
            ])
    }

    /// Shows a task. The first GET request starts the task; a HEAD request does not.
    @Sendable func show(_ request: FunctionRequest) async throws -> FunctionResponse {
        var task = try await access.task(of: request)
        if request.method == .get { task = try await tasks.start(task) }
        let isOwner = try await callers.optionalDevice(calling: request)?.id == task.deviceID
        return FunctionResponse(body: .object(json(task, request, isOwner: isOwner)))
    }

    @Sendable func complete(_ request: FunctionRequest) async throws -> FunctionResponse {
        let (task, time) = try await tasks.complete(try await access.task(of: request).id)
        return FunctionResponse(
            body: [
                "id": .string(task.id), "status": "completed", "photo_count": .integer(Int64(task.photoCount)),
                "completed_at": .string(time.inMilliseconds),
            ])
    }

    // MARK: JSON

    private func json(_ task: HumanTask, _ request: FunctionRequest, isOwner: Bool) -> JSONObject {
        task.json(url: links.url(of: task, request), isOwner: isOwner, now: now())
    }

    /// Returns the new tasks in the form of their distribution.
    private func json(
        _ tasks: [HumanTask], _ distribution: TaskDistribution, _ request: FunctionRequest
    ) -> JSONObject {
        guard let first = tasks.first else { return [:] }
        var json = json(first, request, isOwner: true)
        switch distribution.request.mode {
        case nil: break
        case .individual: return individualJSON(tasks, first, request)
        case .group:
            json["distribution_mode"] = .string(DistributionMode.group.rawValue)
            json["participants"] = .array(distribution.participants.map(JSONValue.string))
        case .open: json["distribution_mode"] = .string(DistributionMode.open.rawValue)
        }
        return json
    }

    private func individualJSON(
        _ tasks: [HumanTask], _ first: HumanTask, _ request: FunctionRequest
    ) -> JSONObject {
        let rows = tasks.map { task -> JSONValue in
            [
                "name": .string(task.request.recipientName), "id": .string(task.id),
                "url": .string(links.url(of: task, request)),
            ]
        }
        return [
            "distribution_mode": .string(DistributionMode.individual.rawValue),
            "group_id": .string(first.request.groupID ?? ""), "hits": .array(rows),
            "count": .integer(Int64(tasks.count)), "sender_name": .string(first.request.senderName),
            "task_description": .string(first.request.taskDescription),
            "created_at": .string(first.createdAt.inMilliseconds),
        ]
    }
}
