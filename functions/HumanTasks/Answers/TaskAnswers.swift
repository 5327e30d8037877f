import DocumentStore

/// The stored answers to tasks.
struct TaskAnswers: Sendable {
    private let store: any DocumentStore
    private let tasks: TaskStore
    private let unreadable: UnreadableDocuments
    private let now: @Sendable () -> Timestamp

    init(
        store: any DocumentStore, tasks: TaskStore, unreadable: UnreadableDocuments,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.tasks = tasks
        self.unreadable = unreadable
        self.now = now
    }

    /// Stores an answer, in one commit with its notification.
    ///
    /// - Parameter isLast: `true` if the answer completes the task.
    /// - Returns: `false` if the name has answered already.
    func tryStore(_ answer: TaskAnswer, completing isLast: Bool = false) async throws -> Bool {
        try await tasks.change(answer.taskID) { task in
            try task.checkOpen(at: now())
            try task.countAnswer(at: answer.createdAt)
            if isLast { try task.complete(at: answer.createdAt) }
            return TaskChange(
                writes: [.create(try Self.path(of: answer, to: task), answer.fields)],
                message: isLast
                    ? TaskNotification.completed(task, by: answer.name)
                    : TaskNotification.answered(task, by: answer.name),
                conflict: false, result: true)
        }.result
    }

    private static func path(of answer: TaskAnswer, to task: HumanTask) throws(StoreError) -> DocumentPath {
        try task.request.kind.isForParticipants
            ? HumanTasksDocuments.answer(to: task.id, by: answer.name)
            : HumanTasksDocuments.answers(to: task.id).document(DocumentPath.randomID())
    }

    /// Returns the answers to a task, oldest first.
    func all(to task: HumanTask) async throws(StoreError) -> [TaskAnswer] {
        let query = Query.collection(try HumanTasksDocuments.answers(to: task.id))
            .ordered(by: FieldPath(TaskAnswer.Field.createdAt)).limited(to: HumanTask.maximumAnswers)
        return unreadable.models(of: try await store.documents(matching: query)) { TaskAnswer($0, to: task.id) }
    }
}
