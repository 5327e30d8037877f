import DocumentStore
import HTTPTypes
import JSON

/// The answers to tasks.
extension HumanTasks {
    /// The maximum number of answers to a task: enough for a poll of a school, but no flood.
    private static let maximumResponses = 500

    @Sendable func respond(_ request: FunctionRequest) async throws -> FunctionResponse {
        let task = try await task(of: request)
        var response = try TaskAnswer(
            to: task.id, try await request.jsonObject(limit: Self.maximumBodyBytes), at: now())
        try task.checkOpen(at: now())
        response.name = try task.request.respondent(response.name)
        guard try await store(response) else { throw HumanTasksError.alreadyResponded }
        return FunctionResponse(status: .created, body: response.json)
    }

    /// Stores an answer, in one commit with its notification.
    ///
    /// - Parameter isLast: `true` if the answer completes the task.
    /// - Returns: `false` if the name has answered already.
    func store(_ response: TaskAnswer, completing isLast: Bool = false) async throws -> Bool {
        try await changing(response.taskID) { task in
            try task.checkOpen(at: now())
            guard task.responseCount < Self.maximumResponses else { throw HumanTasksError.tooManyResponses }
            task.responseCount += 1
            task.startedAt = task.startedAt ?? response.createdAt
            if isLast { try complete(&task, at: response.createdAt) }
            let path =
                try task.request.kind.isForParticipants
                ? HumanTasksDocuments.response(to: task.id, by: response.name)
                : HumanTasksDocuments.responses(to: task.id).document(DocumentPath.randomID())
            return Change(
                writes: [.create(path, response.fields)],
                message: isLast
                    ? TaskNotification.completed(task, by: response.name)
                    : TaskNotification.responded(task, by: response.name),
                conflict: false, result: true)
        }.result
    }

    @Sendable func listResponses(_ request: FunctionRequest) async throws -> FunctionResponse {
        let task = try await ownTask(of: request)
        let responses = try await responses(to: task)
        return FunctionResponse(
            body: [
                "hit_id": .string(task.id), "responses": .array(responses.map(\.json)),
                "count": .integer(Int64(responses.count)),
            ])
    }

    /// Returns the answers to a task, oldest first.
    func responses(to task: HumanTask) async throws(StoreError) -> [TaskAnswer] {
        let query = Query.collection(try HumanTasksDocuments.responses(to: task.id))
            .ordered(by: FieldPath(TaskAnswer.Field.createdAt)).limited(to: Self.maximumResponses)
        return unreadable.models(of: try await store.documents(matching: query)) { TaskAnswer($0, to: task.id) }
    }
}
