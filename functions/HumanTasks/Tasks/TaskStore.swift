import DocumentStore
import Messaging

/// The stored tasks. Each change of a task is one commit, with the notification of its device.
struct TaskStore: Sendable {
    private let store: any DocumentStore
    private let outbox: Outbox
    private let addresses: DeviceRegistry
    private let source: String
    private let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - addresses: The devices' addresses for notifications, by the ids of ``TaskDevice``.
    ///   - source: The system's name in the records of its messages.
    init(
        store: any DocumentStore, outbox: Outbox, addresses: DeviceRegistry, source: String,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.outbox = outbox
        self.addresses = addresses
        self.source = source
        self.now = now
    }

    /// Returns the task with that id, or throws ``HumanTasksError/taskNotFound``.
    func task(_ id: String) async throws -> HumanTask {
        guard TaskID.isWellFormed(id),
            let task = try await store.document(at: try HumanTasksDocuments.task(id)).flatMap(HumanTask.init)
        else { throw HumanTasksError.taskNotFound }
        return task
    }

    // MARK: Changing

    /// Applies the body to the current task and commits the result. Repeats this if the task has changed meanwhile.
    func change<Result: Sendable>(
        _ id: String, _ body: (inout HumanTask) async throws -> TaskChange<Result>
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
            message, of: source, owner: device, for: TaskNotification.lifetime,
            to: [try await addresses.device(device)].compactMap(\.self),
            alongside: writes)
    }

    // MARK: Progress

    /// Starts a pending task. Returns it unchanged if the store cannot write, because it can still be read.
    func start(_ task: HumanTask) async throws -> HumanTask {
        guard task.status(at: now()) == .pending else { return task }
        do {
            return try await change(task.id) { task in
                let time = now()
                if task.status(at: time) == .pending { task.start(at: time) }
                return TaskChange(result: ())
            }.task
        } catch let error as StoreError where error.code == .resourceExhausted || error.code == .unavailable {
            return task
        }
    }

    /// Completes a task, with its notification. Returns it with the time of its completion.
    func complete(_ id: String) async throws -> (task: HumanTask, time: Timestamp) {
        let (task, time) = try await change(id) { task in
            let time = now()
            guard !task.isCompleted else { throw HumanTasksError.alreadyCompleted }
            try task.complete(at: time)
            return TaskChange(message: TaskNotification.completed(task), result: time)
        }
        return (task, time)
    }
}
