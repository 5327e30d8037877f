/// Endpoints with a table of their paths, which answers requests that none of them accepts.
package protocol RoutedEndpoints: ControlEndpoints {
    /// The methods that each path accepts, in the order in which a refusal lists them.
    static var methods: [String: [String]] { get }

    /// Returns the reply to a request; `nil` if no endpoint has its path and method.
    func route(_ request: ControlRequest) throws(ControlError) -> ControlReply?
}

extension RoutedEndpoints {
    package func reply(to request: ControlRequest) -> ControlReply {
        do throws(ControlError) {
            return try route(request) ?? .now(Self.refusal(of: request).response)
        } catch {
            return .now(error.response)
        }
    }

    private static func refusal(of request: ControlRequest) -> ControlError {
        guard let allow = methods[request.path] else { return .notFound(request.path) }
        return .methodNotAllowed(request.method, request.path, allow: allow)
    }
}
