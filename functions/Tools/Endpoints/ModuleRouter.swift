package import HTTPTypes
import JSON

/// The endpoints of all modules. It finds the handler of a request.
package struct ModuleRouter: Sendable {
    /// The handler of a request, and the values of the path's parameters.
    package struct Match: Sendable {
        /// The function that responds.
        package let handle: @Sendable (FunctionRequest) async -> FunctionResponse
        /// The values of the path's parameters, by name.
        package let parameters: [String: String]
        /// The path with the parameters' names in place of their values, for the log.
        package let endpoint: String
    }

    private let endpoints: [Endpoint]
    private let fallbacks: [Fallback]

    /// Collects the endpoints and fallbacks of the modules.
    package init(_ modules: [any FunctionModule]) {
        self.init(endpoints: modules.flatMap(\.endpoints), fallbacks: modules.flatMap(\.fallbacks))
    }

    init(endpoints: [Endpoint], fallbacks: [Fallback]) {
        // A literal segment takes precedence over a parameter, regardless of the order of the modules.
        self.endpoints = endpoints.enumerated()
            .sorted { ($0.element.path.parameterCount, $0.offset) < ($1.element.path.parameterCount, $1.offset) }
            .map(\.element)
        self.fallbacks = fallbacks
    }

    /// Returns the handler, or `nil` if the path belongs to no module. A HEAD request gets the handler of GET.
    package func match(_ method: HTTPRequest.Method, _ path: RequestPath) -> Match? {
        let method = method == .head ? .get : method
        var allowed: [HTTPRequest.Method] = []
        for endpoint in endpoints {
            guard let parameters = endpoint.path.parameters(of: path) else { continue }
            if endpoint.method == method {
                return Match(handle: endpoint.handle, parameters: parameters, endpoint: endpoint.path.description)
            }
            allowed.append(endpoint.method)
        }
        return handler(at: path, allowed: allowed.map(\.rawValue).joined(separator: ", "))
            .map { Match(handle: $0, parameters: [:], endpoint: "unknown") }
    }

    /// Returns the handler of a request without an endpoint, or `nil` if the path belongs to no module.
    ///
    /// - Parameter allowed: The methods that the path has endpoints for.
    private func handler(at path: RequestPath, allowed: String) -> Endpoint.Handler? {
        if let fallback = fallback(at: path) {
            return allowed.isEmpty ? fallback.handle : fallback.refuse?(allowed) ?? fallback.handle
        }
        guard !allowed.isEmpty else { return nil }
        let refusal = FunctionResponse.methodNotAllowed(allowed)
        return { _ in refusal }
    }

    /// Returns the fallback with the longest matching prefix; of equal ones, the fallback of the first module.
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
    /// The 405 response with its `Allow` field (RFC 9110 §15.5.6).
    fileprivate static func methodNotAllowed(_ allowed: String) -> FunctionResponse {
        FunctionResponse(
            status: .methodNotAllowed, headerFields: [.allow: allowed], body: ["error": "method_not_allowed"])
    }
}
