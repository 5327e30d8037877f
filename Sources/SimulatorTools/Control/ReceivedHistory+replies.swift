package import JSON

/// The reply to `GET /notifications`.
extension ReceivedHistory {
    /// Returns a page of the matching entries, at once or after the wait that the query asks for.
    ///
    /// - Parameter json: Returns the JSON of an entry.
    package func reply(
        to query: PageQuery, matching filter: Log.Filter, json: @escaping @Sendable (Log.Entry) -> JSONValue
    ) -> ControlReply {
        guard let count = query.waitFor else { return .now(response(to: query, matching: filter, json: json)) }
        return .later(
            ControlWait(
                timeout: query.timeout,
                begin: { self.whenReceived(count, matching: filter, notify: $0) },
                giveUp: { self.giveUp($0) },
                response: { self.response(to: query, matching: filter, hasTimedOut: $0, json: json) }))
    }

    private func response(
        to query: PageQuery, matching filter: Log.Filter, hasTimedOut: Bool = false, json: (Log.Entry) -> JSONValue
    ) -> ControlResponse {
        let page = page(matching: filter, offset: query.offset, limit: query.limit)
        var body: JSONObject = [
            "count": .integer(Int64(page.total)), "notifications": .array(page.entries.map(json)),
        ]
        if hasTimedOut { body["timed_out"] = true }
        return ControlResponse(body: .object(body))
    }
}
