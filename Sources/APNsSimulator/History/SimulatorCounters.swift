import JSON

/// Counts of events since the start or the last reset.
public struct SimulatorCounters: Hashable, Sendable {
    /// TCP connections accepted from senders.
    public var connectionsOpened = 0
    /// Connections that are open now. A reset does not change it.
    public var connectionsOpen = 0
    /// HTTP/2 streams opened by clients.
    public var streams = 0
    /// Streams that clients reset before the answer.
    public var streamsReset = 0
    /// Streams that a script refused with REFUSED_STREAM.
    public var streamsRefused = 0
    /// Streams that a script reset with any other error code.
    public var streamsAborted = 0
    /// GOAWAY frames sent: by a script, at shutdown, and for errors of clients.
    public var goAwaysSent = 0
    /// Connections that a script stalled, in the TLS handshake or later.
    public var connectionsStalled = 0
    /// Connections that a script ended without GOAWAY.
    public var connectionsBroken = 0
    /// Requests that were answered, or whose answers are delayed.
    public var requests = 0
    /// Requests by the HTTP status of their answer.
    public var requestsByStatus: [Int: Int] = [:]
    /// Refused requests by the `reason` of their answer.
    public var requestsByReason: [String: Int] = [:]
    /// Accepted notifications whose `apns-id` had been accepted before: a device would have received them twice.
    public var duplicates = 0
    /// Distinct device tokens among accepted notifications.
    public var distinctTokens = 0
    /// Distinct values of `authorization`, valid or not.
    public var distinctProviderTokens = 0
    /// Requests to the management of channels, refused ones included. They are not in the history.
    public var channelRequests = 0
    /// Channels that were created.
    public var channelsCreated = 0
    /// Channels that were deleted.
    public var channelsDeleted = 0
    /// Requests that are counted here but no longer kept in the history.
    public var forgotten = 0

    /// Creates counters at zero.
    public init() {}

    /// Requests that were answered 200.
    public var accepted: Int { requestsByStatus[200] ?? 0 }
    /// Requests that were answered with another status than 200.
    public var rejected: Int { requests - accepted }
}

/// JSON of the counters, at the control address.
extension SimulatorCounters {
    var json: JSONValue {
        let byStatus = requestsByStatus.map { (String($0.key), $0.value) }
        let byReason = requestsByReason.map { ($0.key, $0.value) }
        return [
            "connections_opened": .integer(Int64(connectionsOpened)),
            "connections_open": .integer(Int64(connectionsOpen)), "streams": .integer(Int64(streams)),
            "streams_reset": .integer(Int64(streamsReset)), "streams_refused": .integer(Int64(streamsRefused)),
            "streams_aborted": .integer(Int64(streamsAborted)), "goaways_sent": .integer(Int64(goAwaysSent)),
            "connections_stalled": .integer(Int64(connectionsStalled)),
            "connections_broken": .integer(Int64(connectionsBroken)), "requests": .integer(Int64(requests)),
            "accepted": .integer(Int64(accepted)), "rejected": .integer(Int64(rejected)),
            "requests_by_status": Self.json(byStatus), "requests_by_reason": Self.json(byReason),
            "duplicates": .integer(Int64(duplicates)), "distinct_tokens": .integer(Int64(distinctTokens)),
            "distinct_provider_tokens": .integer(Int64(distinctProviderTokens)),
            "channel_requests": .integer(Int64(channelRequests)), "channels_created": .integer(Int64(channelsCreated)),
            "channels_deleted": .integer(Int64(channelsDeleted)),
            "forgotten": .integer(Int64(forgotten)),
        ]
    }

    private static func json(_ counts: [(String, Int)]) -> JSONValue {
        .object(JSONObject(counts.sorted { $0.0 < $1.0 }.map { ($0.0, .integer(Int64($0.1))) }))
    }
}
