import DocumentStore

/// The access to the task in a request's path.
struct TaskAccess: Sendable {
    private let tasks: TaskStore
    private let callers: TaskCallers
    private let now: @Sendable () -> Timestamp

    init(tasks: TaskStore, callers: TaskCallers, now: @escaping @Sendable () -> Timestamp) {
        self.tasks = tasks
        self.callers = callers
        self.now = now
    }

    /// Returns the task, for everyone with the link.
    func task(of request: FunctionRequest) async throws -> HumanTask {
        // The contract's word for a task, which the log shows in the endpoint's path.
        try await tasks.task(request.parameters["hit"] ?? "")
    }

    /// Returns the task if it accepts answers.
    func openTask(of request: FunctionRequest) async throws -> HumanTask {
        let task = try await task(of: request)
        try task.checkOpen(at: now())
        return task
    }

    /// Returns the task if it belongs to the caller. A task of another device is treated as missing.
    func ownTask(of request: FunctionRequest) async throws -> HumanTask {
        let device = try await callers.device(calling: request)
        let task = try await task(of: request)
        guard task.deviceID == device.id else { throw HumanTasksError.taskNotFound }
        return task
    }
}
