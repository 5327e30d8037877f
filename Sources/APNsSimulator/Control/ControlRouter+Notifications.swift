import JSON

/// What was received.
extension ControlRouter {
    func notifications(_ request: ControlRequest) throws(ControlError) -> ControlReply {
        let query = try NotificationQuery(request.query)
        guard let count = query.waitFor else { return .now(response(to: query)) }
        return .whenReceived(query, count: count, timeout: query.timeout)
    }

    /// The notifications there are now.
    func response(to query: NotificationQuery, hasTimedOut: Bool = false) -> ControlResponse {
        let page = history.page(matching: query.filter, offset: query.offset, limit: query.limit)
        var body: JSONObject = [
            "count": .integer(Int64(page.total)), "notifications": .array(page.notifications.map(\.json)),
        ]
        if hasTimedOut { body["timed_out"] = true }
        return ControlResponse(body: .object(body))
    }

    func forgetNotifications() -> ControlResponse {
        history.reset()
        return ControlResponse(body: history.counters.json)
    }
}
