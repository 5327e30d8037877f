package import HTTPTypes

/// A method at a path of a module, such as `GET /api/hits/{id}`.
package struct Endpoint: Sendable {
    /// A function that responds to a request.
    package typealias Handler = @Sendable (FunctionRequest) async -> FunctionResponse

    /// The method of the requests.
    package let method: HTTPRequest.Method
    /// The path of the requests.
    package let path: PathPattern
    /// The function that responds.
    package let handle: Handler
    /// `true` if web pages of other origins may call it, if the operator allows them to.
    package private(set) var isForPages = false

    /// - Parameter handle: The function that responds. It must turn its errors into responses.
    package init(_ method: HTTPRequest.Method, _ path: PathPattern, handle: @escaping Handler) {
        self.method = method
        self.path = path
        self.handle = handle
    }

    /// The same endpoint, for web pages of other origins too.
    package var forPages: Endpoint {
        var endpoint = self
        endpoint.isForPages = true
        return endpoint
    }
}

/// A module's response for paths below its prefixes at which no module has an endpoint for the method, in the module's
/// own format. If several modules match, the longest prefix wins.
package struct Fallback: Sendable {
    /// The paths for which the fallback responds, together with all paths below them.
    package let prefixes: [PathPattern]
    /// The function that responds.
    package let handle: Endpoint.Handler
    /// Returns the function that responds at a path with endpoints for other methods, which it gets as the value of
    /// `Allow`; `nil` if that is ``handle`` too.
    let refuse: (@Sendable (_ allowed: String) -> Endpoint.Handler)?

    /// - Parameters:
    ///   - prefixes: The paths for which the fallback responds, with all paths below them.
    ///   - handle: The function that responds.
    ///   - refuse: Returns the function that responds at a path with endpoints for other methods; `nil` if that is
    ///     `handle` too.
    package init(
        below prefixes: [PathPattern], refuse: (@Sendable (_ allowed: String) -> Endpoint.Handler)? = nil,
        handle: @escaping Endpoint.Handler
    ) {
        self.prefixes = prefixes
        self.refuse = refuse
        self.handle = handle
    }
}
