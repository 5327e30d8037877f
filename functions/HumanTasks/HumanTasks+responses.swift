import DocumentStore
import HTTPTypes
import JSON

/// The answers to tasks.
extension HumanTasks {
    /// The maximum number of answers to a task: enough for a poll of a school, but no flood.
    private static let maximumResponses = 500

    @Sendable func respond(_ request: FunctionRequest) async throws -> FunctionResponse {
        let hit = try await hit(of: request)
        var response = try HitResponse(
            to: hit.id, try await request.jsonObject(limit: Self.maximumBodyBytes), at: now())
        try hit.checkOpen(at: now())
        response.name = try hit.request.respondent(response.name)
        guard try await store(response) else { throw HumanTasksError.alreadyResponded }
        return FunctionResponse(status: .created, body: response.json)
    }

    /// Stores an answer, in one commit with its notification.
    ///
    /// - Parameter isLast: `true` if the answer completes the task.
    /// - Returns: `false` if the name has answered already.
    func store(_ response: HitResponse, completing isLast: Bool = false) async throws -> Bool {
        try await changing(response.hitID) { hit in
            try hit.checkOpen(at: now())
            guard hit.responseCount < Self.maximumResponses else { throw HumanTasksError.tooManyResponses }
            hit.responseCount += 1
            hit.startedAt = hit.startedAt ?? response.createdAt
            if isLast { try complete(&hit, at: response.createdAt) }
            let path =
                try hit.request.kind.isForParticipants
                ? HumanTasksDocuments.response(to: hit.id, by: response.name)
                : HumanTasksDocuments.responses(to: hit.id).document(DocumentPath.randomID())
            return Change(
                writes: [.create(path, response.fields)],
                message: isLast
                    ? HitNotification.completed(hit, by: response.name)
                    : HitNotification.responded(hit, by: response.name),
                conflict: false, result: true)
        }.result
    }

    @Sendable func listResponses(_ request: FunctionRequest) async throws -> FunctionResponse {
        let hit = try await ownHit(of: request)
        let responses = try await responses(to: hit)
        return FunctionResponse(
            body: [
                "hit_id": .string(hit.id), "responses": .array(responses.map(\.json)),
                "count": .integer(Int64(responses.count)),
            ])
    }

    /// Returns the answers to a task, oldest first.
    func responses(to hit: Hit) async throws(StoreError) -> [HitResponse] {
        let query = Query.collection(try HumanTasksDocuments.responses(to: hit.id))
            .ordered(by: FieldPath(HitResponse.Field.createdAt)).limited(to: Self.maximumResponses)
        return unreadable.models(of: try await store.documents(matching: query)) { HitResponse($0, to: hit.id) }
    }
}
