internal import DocumentStore
internal import HTTPTypes
internal import JSON

/// What the endpoints have in common: the key, the body, and one place where errors become answers.
extension Sessions {
    /// The largest body taken, in bytes: a hook's event has the whole of what a tool was given and gave back.
    static let maximumBodyBytes = 2 * 1024 * 1024

    /// - Parameter scope: nil when any key will do.
    func endpoint(
        _ method: HTTPRequest.Method, _ path: PathPattern, needs scope: AccessScope?,
        _ work: @escaping @Sendable (FunctionRequest) async throws -> FunctionResponse
    ) -> Endpoint {
        Endpoint(method, path, handle: answering(needs: scope, work))
    }

    func answering(
        needs scope: AccessScope?, _ work: @escaping @Sendable (FunctionRequest) async throws -> FunctionResponse
    ) -> Endpoint.Handler {
        SessionsError.answering(in: "sessions", logger) { request in
            try authorize(request, for: scope)
            return try await work(request)
        }
    }

    private func authorize(_ request: FunctionRequest, for scope: AccessScope?) throws(SessionsError) {
        let key = BearerCredential(exactly: request.headerFields[.authorization])
        let scopes = key.map(configuration.scopes) ?? []
        switch request.verdict(on: key, isRight: !scopes.isEmpty, by: authentication, at: now().seconds) {
        case .accepted: break
        case .rejected: throw .unauthorized
        case .tooManyFailures(let seconds): throw .rateLimited(retryAfter: seconds)
        }
        if let scope, !scopes.contains(scope) { throw .forbidden }
    }

    func object(of request: FunctionRequest) async throws(SessionsError) -> JSONObject {
        let body: [UInt8]
        do {
            body = try await request.readBody(Self.maximumBodyBytes)
        } catch {
            switch error {
            case .tooLarge: throw .tooLarge
            case .incomplete: throw .badRequest("the body ended early")
            case .malformedEncoding: throw .badRequest(RequestBodyError.malformedEncodingText)
            case .unsupportedEncoding: throw .unsupportedEncoding
            }
        }
        guard case .object(let object)? = try? JSONValue(parsing: body) else {
            throw .badRequest("the body must be a JSON object")
        }
        return object
    }
}

extension FunctionResponse {
    /// What has been done.
    static let done = FunctionResponse(body: ["status": "ok"])
}
