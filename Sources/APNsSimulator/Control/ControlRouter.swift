import JSON
import SimulatorTools

/// The endpoints of the control address: a request in, a reply out, without a socket.
struct ControlRouter: ControlEndpoints {
    let history: NotificationHistory
    let scripts: ScriptTable
    var channels = ChannelTable()

    static let methods = [
        "/": ["GET"], "/status": ["GET"], "/notifications": ["GET", "DELETE"], "/channels": ["GET"],
        "/answers": ["GET", "PUT", "POST", "DELETE"], "/connections": ["GET", "PUT", "POST", "DELETE"],
    ]

    func route(_ request: ControlRequest) throws(ControlError) -> ControlReply? {
        switch (request.path, request.method) {
        case ("/", "GET"): return .now(ControlResponse(body: Self.help))
        case ("/status", "GET"): return .now(ControlResponse(body: history.counters.json))
        case ("/notifications", "GET"): return try notifications(request)
        case ("/notifications", "DELETE"): return .now(forgetNotifications())
        case ("/channels", "GET"):
            return .now(ControlResponse(body: ["channels": .array(channels.channels().map(\.json))]))
        case ("/answers", _): return try answers.response(to: request).map { .now($0) }
        case ("/connections", "GET"): return .now(remainingConnections)
        case ("/connections", "PUT"): return .now(try scriptConnections(request, replacing: true))
        case ("/connections", "POST"): return .now(try scriptConnections(request, replacing: false))
        case ("/connections", "DELETE"): return .now(forgetConnections())
        default: return nil
        }
    }
}

/// The endpoints for received notifications.
extension ControlRouter {
    func notifications(_ request: ControlRequest) throws(ControlError) -> ControlReply {
        let query = try NotificationQuery(request.query)
        return history.reply(to: query.page, matching: query.filter) { $0.json }
    }

    func forgetNotifications() -> ControlResponse {
        history.reset()
        return ControlResponse(body: history.counters.json)
    }
}

/// The endpoints for scripted answers.
extension ControlRouter {
    private var answers: AnswersEndpoints<ScriptedAnswer> {
        AnswersEndpoints(
            scripts.answers, remedy: "give a device token, or null for all tokens",
            read: { step throws(ControlError) in try ScriptedAnswer(step) }, json: { $0.json })
    }
}

/// The endpoints for connection scripts.
extension ControlRouter {
    func scriptConnections(_ request: ControlRequest, replacing: Bool) throws(ControlError) -> ControlResponse {
        let order = try ScriptConnectionsRequest(request.object())
        if replacing {
            scripts.replace(connections: order.connections)
        } else {
            scripts.append(connections: order.connections)
        }
        return remainingConnections
    }

    func forgetConnections() -> ControlResponse {
        scripts.replace(connections: [])
        return remainingConnections
    }

    var remainingConnections: ControlResponse {
        ControlResponse(body: ["connections": .array(scripts.remainingConnections.map(\.json))])
    }
}

/// The response to `GET /`.
extension ControlRouter {
    static let help: JSONValue = [
        "name": "APNs simulator, control address",
        "endpoints": [
            "GET /status": "the counters",
            "GET /notifications": """
            the received notifications, oldest first; query: token, topic, push_type, collapse_id, apns_id, status, \
            limit (default 100), offset, wait_for (a number of matching notifications), timeout (seconds, default \
            10); "cause" explains a refusal, "deviations" lists departures from Apple's documentation
            """,
            "DELETE /notifications": "deletes the received notifications and sets the counters to zero",
            "GET /channels": "the broadcast channels of all apps, with the broadcasts that they keep",
            "GET /answers": "the scripted answers that have not been used yet",
            "PUT /answers": """
            scripts the answers to the next valid requests for a token (null: any token), replacing its script: \
            {"token":…,"status":410,"reason":"Unregistered","timestamp":ms,"times":n,"delay_ms":0,"retry_after":s}, or \
            {"token":…,"answers":[{"status":…},…]}; "times" is 1 by default, and null for all that follow
            """,
            "POST /answers": "the same, but appends to the script",
            "DELETE /answers": "deletes scripted answers; query: token (default: all)",
            "GET /connections": "the connection scripts that have not been used yet",
            "PUT /connections": """
            scripts the next connections, replacing the script: one step, or {"connections":[…,…]}; a step has any of \
            "times":n (1 by default, null for all that follow), "stall_handshake":true, "stall_after":n, \
            "break":{"after":n,"with":"reset" or "close","in_answer":false}, \
            "goaway":{"after":n,"reason":"Shutdown","leave_out_last":false}, \
            "stream_limits":[{"after":n,"limit":n},…], "refuse_every":n, \
            "reset":{"every":n,"code":2,"accept":false}, \
            "latency":{"ms":[…],"seed":0} or {"p50_ms":n,"p99_ms":n,"max_ms":n,"seed":0}, \
            "expired_provider_token":{"after":n or null}, "max_provider_tokens":n, "limit_resets":true
            """,
            "POST /connections": "the same, but appends to the script",
            "DELETE /connections": "deletes the connection scripts; open connections keep theirs",
        ],
    ]
}
