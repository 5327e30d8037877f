import JSON

/// The counters as the control address writes them.
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
            "forgotten": .integer(Int64(forgotten)),
        ]
    }

    private static func json(_ counts: [(String, Int)]) -> JSONValue {
        .object(JSONObject(counts.sorted { $0.0 < $1.0 }.map { ($0.0, .integer(Int64($0.1))) }))
    }
}
