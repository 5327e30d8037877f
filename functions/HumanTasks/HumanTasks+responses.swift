internal import DocumentStore
internal import HTTPTypes
internal import JSON

/// Answers.
extension HumanTasks {
    /// How many a task takes; a poll of a whole school, and no flood.
    private static let maximumResponses = 500

    @Sendable func respond(_ request: FunctionRequest) async throws -> FunctionResponse {
        let hit = try await hit(of: request)
        let response = try HitResponse(to: hit.id, try await object(of: request), at: now())
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
                let path = try HumanTasksDocuments.response(to: hit.id, by: response.name)
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
        let query = Query.collection(try HumanTasksDocuments.responses(to: hit.id))
            .ordered(by: FieldPath(HitResponse.Field.createdAt), .descending).limited(to: Self.maximumResponses)
        let responses = unreadable.models(of: try await store.documents(matching: query)) {
            HitResponse($0, to: hit.id)
        }
        return FunctionResponse(body: .array(responses.map(\.json)))
    }
}
