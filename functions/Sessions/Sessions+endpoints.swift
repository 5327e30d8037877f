internal import DocumentStore
internal import HTTPTypes
internal import JSON

/// What the endpoints have in common: the key, the body, and one place where errors become answers.
extension Sessions {
    /// The largest body taken, in bytes: a hook's event has the whole of what a tool was given and gave back.
    static let maximumBodyBytes = 2 * 1024 * 1024

    func endpoint(
        _ method: HTTPRequest.Method, _ path: PathPattern, needs key: RequiredKey,
        _ work: @escaping @Sendable (FunctionRequest) async throws -> FunctionResponse
    ) -> Endpoint {
        Endpoint(method, path, handle: answering(needs: key, work))
    }

    func answering(
        needs key: RequiredKey, _ work: @escaping @Sendable (FunctionRequest) async throws -> FunctionResponse
    ) -> Endpoint.Handler {
        SessionsError.answering(in: "sessions", logger) { request in
            try await authorize(request, for: key)
            return try await work(request)
        }
    }

    private func authorize(_ request: FunctionRequest, for key: RequiredKey) async throws {
        let credential = BearerCredential(exactly: request.headerFields[.authorization])
        let access = try await access(by: credential)
        switch request.verdict(on: credential, isRight: access != nil, by: authentication, at: now().seconds) {
        case .accepted: break
        case .rejected: throw SessionsError.unauthorized
        case .tooManyFailures(let seconds): throw SessionsError.rateLimited(retryAfter: seconds)
        }
        guard let access else { throw SessionsError.unauthorized }
        if let made = access.made { try await use(made) }
        try access.check(request, for: key)
    }

    /// Returns what a key opens; `nil` for one that nobody gave out.
    private func access(by credential: BearerCredential?) async throws(StoreError) -> KeyAccess? {
        guard let credential else { return nil }
        if let access = configuration.access(by: credential) { return access }
        return try await keys.key(credential).map { KeyAccess(scopes: $0.scopes, made: $0) }
    }

    private func use(_ key: SessionKey) async throws(SessionsError) {
        if let seconds = keys.admit(key) { throw .tooManyRequests(key.rateLimit ?? 0, retryAfter: seconds) }
        await keys.noteUse(of: key)
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

extension KeyAccess {
    /// - Throws: if the request may not be made with this key, or not from where it comes.
    fileprivate func check(_ request: FunctionRequest, for key: RequiredKey) throws(SessionsError) {
        switch key {
        case .any: return
        case .scoped(let scope): guard scopes.contains(scope) else { throw .forbidden }
        case .localMaster:
            guard isMaster else { throw .forbidden }
            guard request.isFromLoopback else { throw .notLocal }
        }
    }
}
