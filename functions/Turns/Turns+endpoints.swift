internal import DocumentStore
internal import HTTPTypes
internal import Logging
internal import Metrics

/// What the endpoints have in common: the key, and one place where errors become answers.
extension Turns {
    func endpoint(
        _ method: HTTPRequest.Method, _ path: PathPattern,
        _ work: @escaping @Sendable (FunctionRequest) async throws -> FunctionResponse
    ) -> Endpoint {
        Endpoint(method, path) { request in
            do {
                try authorize(request)
                return try await work(request)
            } catch {
                return answer(to: error)
            }
        }
    }

    private func authorize(_ request: FunctionRequest) throws(TurnsError) {
        guard !configuration.apiKeys.isEmpty else { return }
        let field = HTTPField.Name("X-API-Key").flatMap { request.headerFields[$0] }
        guard let key = BearerCredential(field?.trimmingWhitespace()) else { throw .keyRequired }
        guard configuration.apiKeys.contains(key) else { throw .invalidKey }
    }

    func player(of request: FunctionRequest) throws(TurnsError) -> PlayerID {
        guard let player = PlayerID(request.parameters["user_id"] ?? "") else { throw .invalidUserID }
        return player
    }

    private func answer(to error: any Error) -> FunctionResponse {
        let known: TurnsError
        switch error {
        case let error as TurnsError: known = error
        case let error as StoreError where error.code == .resourceExhausted || error.code == .unavailable:
            known = .unavailable
        default:
            logger.error("unexpected error", metadata: ["function": "turns", "error": "\(error)"])
            known = .internalError
        }
        Counter(
            label: "pushgate_function_rejections_total", dimensions: [("function", "turns"), ("code", known.code)]
        ).increment()
        return known.response
    }
}
