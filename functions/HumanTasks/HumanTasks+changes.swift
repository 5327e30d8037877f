import DocumentStore
import Messaging

/// The effects of a change to a task.
struct Change<Result: Sendable>: Sendable {
    var writes: [Write] = []
    /// The notification for the task's device.
    var message: Message?
    /// The result if a document that the writes create exists, and nothing is stored; `nil` if that is an error.
    var conflict: Result?
    let result: Result
}

/// Changes of tasks, each in one commit with its notification.
extension HumanTasks {
    /// Applies the body to the current task and commits the result. Repeats this if the task has changed meanwhile.
    func changing<Result: Sendable>(
        _ id: String, _ body: (inout HumanTask) async throws -> Change<Result>
    ) async throws -> (task: HumanTask, result: Result) {
        let path = try HumanTasksDocuments.task(id)
        while true {
            guard let document = try await store.document(at: path), let stored = HumanTask(document) else {
                throw HumanTasksError.taskNotFound
            }
            var task = stored
            let change = try await body(&task)
            let write = Write.set(path, task.fields, precondition: .updateTime(document.updateTime))
            do throws(StoreError) {
                try await commit([write] + change.writes, telling: change.message, task.deviceID)
                return (task, change.result)
            } catch {
                if error.code == .alreadyExists, let conflict = change.conflict { return (stored, conflict) }
                guard error.code == .failedPrecondition else { throw error }
            }
            try Task.checkCancellation()
        }
    }

    private func commit(
        _ writes: [Write], telling message: Message?, _ device: String
    ) async throws(StoreError) {
        guard let message else {
            _ = try await store.commit(writes)
            return
        }
        try await outbox.send(
            message, of: HumanTasks.source, owner: device, for: TaskNotification.lifetime,
            to: [try await tokens.device(device)].compactMap(\.self),
            alongside: writes)
    }
}
