package import HTTPTypes
package import Logging

/// The endpoints of a system, which authorize their requests and report their errors in the same way.
package struct EndpointGroup<Failure: FunctionError>: Sendable {
    /// A function that responds to a request or throws.
    package typealias Work = @Sendable (FunctionRequest) async throws -> FunctionResponse

    private let system: String
    private let logger: Logger
    private let authorize: @Sendable (FunctionRequest) async throws -> Void
    private let respond: @Sendable (Failure, FunctionRequest) async -> FunctionResponse

    /// Creates a group.
    ///
    /// - Parameters:
    ///   - system: The name for metrics and logs.
    ///   - authorize: Throws the error for a request without the required credentials.
    ///   - respond: Returns the response to a request that failed; by default the error's own.
    package init(
        _ system: String, _ failure: Failure.Type, logger: Logger,
        authorize: @escaping @Sendable (FunctionRequest) async throws -> Void = { _ in },
        respond: @escaping @Sendable (Failure, FunctionRequest) async -> FunctionResponse = { error, _ in
            error.response
        }
    ) {
        self.system = system
        self.logger = logger
        self.authorize = authorize
        self.respond = respond
    }

    /// Returns an endpoint that does its work for authorized requests only.
    package func endpoint(_ method: HTTPRequest.Method, _ path: PathPattern, _ work: @escaping Work) -> Endpoint {
        Endpoint(method, path, handle: handler(work))
    }

    /// Returns a fallback that responds to authorized requests with an error.
    ///
    /// - Parameter methodNotAllowed: Makes the error for a method that the path does not have from the value of
    ///   `Allow`; `nil` if it is the same error.
    package func fallback(
        below prefixes: [PathPattern], _ error: Failure,
        methodNotAllowed: (@Sendable (_ allowed: String) -> Failure)? = nil
    ) -> Fallback {
        let refuse = methodNotAllowed.map { makeError in
            { @Sendable (allowed: String) in handler { _ in throw makeError(allowed) } }
        }
        return Fallback(below: prefixes, refuse: refuse, handle: handler { _ in throw error })
    }

    /// Returns a handler that authorizes requests and turns errors into responses.
    package func handler(_ work: @escaping Work) -> Endpoint.Handler {
        let authorize = authorize
        return Failure.answering(in: system, logger, respond: respond) { request in
            try await authorize(request)
            return try await work(request)
        }
    }
}
