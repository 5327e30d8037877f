import JSON

/// What the control address can do: requests in, replies out, without a socket.
struct ControlRouter: Sendable {
    let history: NotificationHistory
    let scripts: ScriptTable

    func reply(to request: ControlRequest) -> ControlReply {
        do throws(ControlError) {
            return try route(request)
        } catch {
            return .now(error.response)
        }
    }

    private func route(_ request: ControlRequest) throws(ControlError) -> ControlReply {
        switch (request.path, request.method) {
        case ("/", "GET"): return .now(ControlResponse(body: Self.help))
        case ("/status", "GET"): return .now(ControlResponse(body: history.counters.json))
        case ("/notifications", "GET"): return try notifications(request)
        case ("/notifications", "DELETE"): return .now(forgetNotifications())
        case ("/answers", "GET"): return .now(remainingAnswers)
        case ("/answers", "PUT"): return .now(try script(request, replacing: true))
        case ("/answers", "POST"): return .now(try script(request, replacing: false))
        case ("/answers", "DELETE"): return .now(try forgetAnswers(request))
        case ("/connections", "GET"): return .now(remainingConnections)
        case ("/connections", "PUT"): return .now(try scriptConnections(request, replacing: true))
        case ("/connections", "POST"): return .now(try scriptConnections(request, replacing: false))
        case ("/connections", "DELETE"): return .now(forgetConnections())
        default: throw Self.error(for: request)
        }
    }

    private static func error(for request: ControlRequest) -> ControlError {
        let methods = [
            "/": ["GET"], "/status": ["GET"], "/notifications": ["GET", "DELETE"],
            "/answers": ["GET", "PUT", "POST", "DELETE"], "/connections": ["GET", "PUT", "POST", "DELETE"],
        ]
        guard let allow = methods[request.path] else { return .notFound(request.path) }
        return .methodNotAllowed(request.method, request.path, allow: allow)
    }
}

/// What to do with a request to the control address.
enum ControlReply: Sendable {
    case now(ControlResponse)
    /// Answer when as many notifications have been received as are waited for, or when the time is up.
    case whenReceived(NotificationQuery, count: Int, timeout: Duration)
}
