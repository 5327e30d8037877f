public import HTTPTypes
internal import JSON

/// The endpoints of all modules, and who answers a request.
public struct EndpointTable: Sendable {
    /// Who answers, and what the path's parameters stand for.
    public struct Answerer: Sendable {
        public let handle: @Sendable (FunctionRequest) async -> FunctionResponse
        public let parameters: [String: String]
    }

    private let endpoints: [Endpoint]
    private let fallbacks: [Fallback]

    public init(_ modules: [any FunctionModule]) {
        // A literal segment wins over a parameter, whichever module comes first.
        endpoints = modules.flatMap(\.endpoints).enumerated()
            .sorted { ($0.element.path.parameterCount, $0.offset) < ($1.element.path.parameterCount, $1.offset) }
            .map(\.element)
        fallbacks = modules.flatMap(\.fallbacks)
    }

    /// Nil when the path is no module's. HEAD is answered by who answers GET.
    public func answerer(of method: HTTPRequest.Method, _ path: RequestPath) -> Answerer? {
        let method = method == .head ? .get : method
        var allowed: [HTTPRequest.Method] = []
        for endpoint in endpoints {
            guard let parameters = endpoint.path.parameters(of: path) else { continue }
            if endpoint.method == method { return Answerer(handle: endpoint.handle, parameters: parameters) }
            allowed.append(endpoint.method)
        }
        if let fallback = fallback(at: path) { return Answerer(handle: fallback.handle, parameters: [:]) }
        guard !allowed.isEmpty else { return nil }
        let refusal = FunctionResponse.methodNotAllowed(allowed)
        return Answerer(handle: { _ in refusal }, parameters: [:])
    }

    /// The one with the longest prefix of the path; among equals, of the module that comes first.
    private func fallback(at path: RequestPath) -> Fallback? {
        var longest: (fallback: Fallback, length: Int)?
        for fallback in fallbacks {
            let lengths = fallback.prefixes.lazy.filter { $0.covers(path) }.map(\.segments.count)
            if let length = lengths.max(), length > longest?.length ?? -1 { longest = (fallback, length) }
        }
        return longest?.fallback
    }
}

extension PathPattern {
    fileprivate var parameterCount: Int {
        segments.count { if case .parameter = $0 { true } else { false } }
    }
}

extension FunctionResponse {
    /// RFC 9110 §15.5.6.
    fileprivate static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> FunctionResponse {
        FunctionResponse(
            status: .methodNotAllowed, headerFields: [.allow: allowed.map(\.rawValue).joined(separator: ", ")],
            body: ["error": "method_not_allowed"])
    }
}
