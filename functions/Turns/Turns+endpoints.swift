internal import DocumentStore
internal import HTTPTypes

/// What the endpoints have in common: the key, and one place where errors become answers.
extension Turns {
    func endpoint(
        _ method: HTTPRequest.Method, _ path: PathPattern,
        _ work: @escaping @Sendable (FunctionRequest) async throws -> FunctionResponse
    ) -> Endpoint {
        Endpoint(method, path, handle: answering(work))
    }

    func answering(
        _ work: @escaping @Sendable (FunctionRequest) async throws -> FunctionResponse
    ) -> Endpoint.Handler {
        TurnsError.answering(in: "turns", logger) { request in
            try authorize(request)
            return try await work(request)
        }
    }

    private func authorize(_ request: FunctionRequest) throws(TurnsError) {
        guard !configuration.apiKeys.isEmpty else {
            if let reason = request.originRefusal { throw .foreignOrigin(reason) }
            return
        }
        let field = HTTPField.Name("X-API-Key").flatMap { request.headerFields[$0] }
        let key = BearerCredential(field?.trimmingWhitespace())
        let isRight = key.map(configuration.apiKeys.contains) ?? false
        switch request.verdict(on: key, isRight: isRight, by: authentication, at: now().seconds) {
        case .accepted: return
        case .tooManyFailures(let seconds): throw .tooManyFailures(retryAfter: seconds)
        case .rejected: throw key == nil ? .keyRequired : .invalidKey
        }
    }

    func player(of request: FunctionRequest) throws(TurnsError) -> PlayerID {
        guard let player = PlayerID(request.parameters["user_id"] ?? "") else { throw .invalidUserID }
        return player
    }
}
