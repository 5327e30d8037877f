import JSON

/// Counts of events since the start or the last reset.
public struct PushServiceCounters: Hashable, Sendable {
    /// Connections accepted from application servers.
    public var connectionsOpened = 0
    /// Connections of application servers that are open now. A reset does not change it.
    public var connectionsOpen = 0
    /// Browsers that are connected now. A reset does not change it.
    public var browsersConnected = 0
    /// Requests that were answered, or whose answers are delayed or withheld by a script.
    public var requests = 0
    /// Requests by the HTTP status of their answer.
    public var requestsByStatus: [Int: Int] = [:]
    /// Refused requests by the reason of their answer.
    public var requestsByReason: [String: Int] = [:]
    /// Requests that a script left without an answer.
    public var requestsUnanswered = 0
    /// Accepted messages by their present state.
    public var messagesByDelivery: [MessageDelivery: Int] = [:]
    /// Accepted messages.
    public var accepted = 0
    /// Accepted messages whose encrypted body had been accepted before. Each body has a new salt, so only a repeated
    /// request has the same one.
    public var duplicates = 0
    /// Distinct endpoints of accepted messages.
    public var distinctTokens = 0
    /// Distinct values of `authorization`, valid or not.
    public var distinctVAPIDTokens = 0
    /// Requests that are counted here but no longer kept in the history.
    public var forgotten = 0

    /// Creates counters at zero.
    public init() {}

    /// Requests that were not accepted.
    public var rejected: Int { requests - accepted }
}

/// JSON of the counters, at the control address.
extension PushServiceCounters {
    var json: JSONValue {
        let byStatus = requestsByStatus.map { (String($0.key), $0.value) }
        let byReason = requestsByReason.map { ($0.key, $0.value) }
        let byDelivery = messagesByDelivery.filter { $0.value > 0 }.map { ($0.key.rawValue, $0.value) }
        return [
            "connections_opened": .integer(Int64(connectionsOpened)),
            "connections_open": .integer(Int64(connectionsOpen)),
            "browsers_connected": .integer(Int64(browsersConnected)), "requests": .integer(Int64(requests)),
            "accepted": .integer(Int64(accepted)), "rejected": .integer(Int64(rejected)),
            "requests_by_status": Self.json(byStatus), "requests_by_reason": Self.json(byReason),
            "requests_unanswered": .integer(Int64(requestsUnanswered)),
            "messages_by_delivery": Self.json(byDelivery), "duplicates": .integer(Int64(duplicates)),
            "distinct_tokens": .integer(Int64(distinctTokens)),
            "distinct_vapid_tokens": .integer(Int64(distinctVAPIDTokens)), "forgotten": .integer(Int64(forgotten)),
        ]
    }

    private static func json(_ counts: [(String, Int)]) -> JSONValue {
        .object(JSONObject(counts.sorted { $0.0 < $1.0 }.map { ($0.0, .integer(Int64($0.1))) }))
    }
}
