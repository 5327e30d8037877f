internal import DocumentStore
internal import HTTPTypes
internal import JSON

/// Answers.
extension HumanTasks {
    /// How many a task takes; a poll of a whole school, and no flood.
    private static let maximumResponses = 500

    @Sendable func respond(_ request: FunctionRequest) async throws -> FunctionResponse {
        let hit = try await hit(of: request)
        var response = try HitResponse(to: hit.id, try await object(of: request), at: now())
        try hit.checkOpen(at: now())
        response.name = try hit.request.respondent(response.name)
        try await store(response)
        return FunctionResponse(status: .created, body: response.json)
    }

    /// - Parameter isLast: whether the task is completed by it.
    func store(_ response: HitResponse, completing isLast: Bool = false) async throws {
        do {
            _ = try await changing(response.hitID) { hit in
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
                        : HitNotification.responded(hit, by: response.name), result: ())
            }
        } catch let error as StoreError where error.code == .alreadyExists {
            throw HumanTasksError.alreadyResponded
        }
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

    /// The answers to a task, oldest first.
    func responses(to hit: Hit) async throws -> [HitResponse] {
        let query = Query.collection(try HumanTasksDocuments.responses(to: hit.id))
            .ordered(by: FieldPath(HitResponse.Field.createdAt)).limited(to: Self.maximumResponses)
        return unreadable.models(of: try await store.documents(matching: query)) { HitResponse($0, to: hit.id) }
    }
}
