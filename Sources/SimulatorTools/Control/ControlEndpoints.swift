/// The endpoints of a control address: a request in, a reply out, without a socket.
package protocol ControlEndpoints: Sendable {
    /// The methods that each path accepts, in the order in which a refusal lists them.
    static var methods: [String: [String]] { get }

    /// Returns the reply to a request; `nil` if no endpoint has its path and method.
    func route(_ request: ControlRequest) throws(ControlError) -> ControlReply?
}

extension ControlEndpoints {
    /// Returns the reply to a request, also if no endpoint accepts it.
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
