import JSON

/// The endpoints that delete tasks.
struct DeletionEndpoints: Sendable {
    private let deletion: TaskDeletion
    private let lists: TaskLists
    private let access: TaskAccess
    private let callers: TaskCallers

    init(deletion: TaskDeletion, lists: TaskLists, access: TaskAccess, callers: TaskCallers) {
        self.deletion = deletion
        self.lists = lists
        self.access = access
        self.callers = callers
    }

    @Sendable func delete(_ request: FunctionRequest) async throws -> FunctionResponse {
        let device = try await callers.device(calling: request)
        let task = try await access.task(of: request)
        guard task.deviceID == device.id else { throw HumanTasksError.forbidden }
        guard try await deletion.delete(task.id) else { throw HumanTasksError.taskNotFound }
        return FunctionResponse(body: ["deleted": true, "id": .string(task.id)])
    }

    @Sendable func deleteAll(_ request: FunctionRequest) async throws -> FunctionResponse {
        let device = try await callers.device(calling: request)
        let selection = try TaskSelection(try await request.jsonObject(limit: HumanTasks.maximumBodyBytes))
        var deleted: [JSONValue] = []
        for id in try await lists.ids(of: selection, device.id) where try await deletion.delete(id) {
            deleted.append(.string(id))
        }
        return FunctionResponse(body: ["deleted": .integer(Int64(deleted.count)), "ids": .array(deleted)])
    }
}
