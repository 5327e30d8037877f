package import HTTPTypes

/// The calls that web pages of other origins may make, by path: those that register a browser, or end that.
package struct PageCalls: Sendable {
    /// A call by method and path.
    package typealias Call = (method: HTTPRequest.Method, path: PathPattern)

    private let functions: Set<String>
    private let calls: [Call]

    /// Collects the calls of modules.
    ///
    /// - Parameter others: The calls of the gateway itself.
    package init(of modules: [any FunctionModule], and others: [Call]) {
        functions = Set(modules.flatMap(\.functions).filter(\.isForPages).map(\.name))
        let endpoints = modules.flatMap(\.endpoints).filter(\.isForPages)
        calls = endpoints.map { endpoint -> Call in (endpoint.method, endpoint.path) } + others
    }

    /// Returns the methods of the calls at a path; none if a page may make no call there.
    package func methods(at path: RequestPath) -> [HTTPRequest.Method] {
        if let name = path.segments.last, path.segments.count <= HTTPSFunction.longestPath,
            functions.contains(String(name))
        {
            return [.post]
        }
        return calls.filter { $0.path.parameters(of: path) != nil }.map(\.method)
    }
}
