public import HTTPTypes

/// A method at a path of a module, `GET /api/hits/{id}`.
public struct Endpoint: Sendable {
    public typealias Handler = @Sendable (FunctionRequest) async -> FunctionResponse

    public let method: HTTPRequest.Method
    public let path: PathPattern
    public let handle: Handler

    public init(_ method: HTTPRequest.Method, _ path: PathPattern, handle: @escaping Handler) {
        self.method = method
        self.path = path
        self.handle = handle
    }
}

/// What a module answers where it has no endpoint, in its own form: for paths below one of these, when no module has an
/// endpoint there. Where several modules have one, the longest prefix decides.
public struct Fallback: Sendable {
    public let prefixes: [PathPattern]
    public let handle: Endpoint.Handler

    public init(
        below prefixes: [PathPattern], handle: @escaping Endpoint.Handler
    ) {
        self.prefixes = prefixes
        self.handle = handle
    }
}
