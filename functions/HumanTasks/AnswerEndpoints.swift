import DocumentStore
import HTTPTypes
import JSON

/// The endpoints of answers, which any person with the link can give and the task's device can read.
struct AnswerEndpoints: Sendable {
    private let answers: TaskAnswers
    private let access: TaskAccess
    private let now: @Sendable () -> Timestamp

    init(answers: TaskAnswers, access: TaskAccess, now: @escaping @Sendable () -> Timestamp) {
        self.answers = answers
        self.access = access
        self.now = now
    }

    @Sendable func respond(_ request: FunctionRequest) async throws -> FunctionResponse {
        let task = try await access.task(of: request)
        var answer = try TaskAnswer(
            to: task.id, try await request.jsonObject(limit: HumanTasks.maximumBodyBytes), at: now())
        try task.checkOpen(at: now())
        try answer.identify(by: task.request)
        guard try await answers.tryStore(answer) else { throw HumanTasksError.alreadyAnswered }
        return FunctionResponse(status: .created, body: answer.json)
    }

    @Sendable func list(_ request: FunctionRequest) async throws -> FunctionResponse {
        let task = try await access.ownTask(of: request)
        let answers = try await answers.all(to: task)
        return FunctionResponse(
            body: [
                "hit_id": .string(task.id), "responses": .array(answers.map(\.json)),
                "count": .integer(Int64(answers.count)),
            ])
    }
}
