internal import DocumentStore
internal import HTTPTypes
internal import JSON

/// What the endpoints have in common: the key, the body, and one place where errors become answers.
extension Runs {
    /// The largest body taken, in bytes: an event brings a prompt's beginning, no more.
    static let maximumBodyBytes = 64 * 1024

    func endpoint(
        _ method: HTTPRequest.Method, _ path: PathPattern,
        _ work: @escaping @Sendable (FunctionRequest) async throws -> FunctionResponse
    ) -> Endpoint {
        Endpoint(method, path, handle: answering(work))
    }

    func answering(
        _ work: @escaping @Sendable (FunctionRequest) async throws -> FunctionResponse
    ) -> Endpoint.Handler {
        RunsError.answering(in: "runs", logger) { request in
            try authorize(request)
            return try await work(request)
        }
    }

    private func authorize(_ request: FunctionRequest) throws(RunsError) {
        let field = request.headerFields[.authorization]
        let key = BearerCredential(authorization: field)
        let isRight = key.map(configuration.apiKeys.contains) ?? false
        switch request.verdict(on: key, isRight: isRight, by: authentication, at: now().seconds) {
        case .accepted: return
        case .tooManyFailures(let seconds): throw .rateLimited(retryAfter: seconds)
        case .rejected: throw .unauthorized(Self.problem(with: field, key))
        }
    }

    private static func problem(with field: String?, _ key: BearerCredential?) -> String {
        guard let field, !field.trimmingWhitespace().isEmpty else { return "missing authorization header" }
        return key == nil ? "invalid authorization format" : "invalid api key"
    }

    func object(of request: FunctionRequest) async throws(RunsError) -> JSONObject {
        let body: [UInt8]
        do {
            body = try await request.readBody(Self.maximumBodyBytes)
        } catch {
            switch error {
            case .tooLarge: throw .tooLarge
            case .incomplete: throw .invalidInput("invalid JSON body")
            case .malformedEncoding: throw .invalidInput(RequestBodyError.malformedEncodingText)
            case .unsupportedEncoding: throw .unsupportedEncoding
            }
        }
        guard case .object(let object)? = try? JSONValue(parsing: body) else {
            throw .invalidInput("invalid JSON body")
        }
        return object
    }
}
