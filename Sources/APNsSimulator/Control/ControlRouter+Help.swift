import JSON

/// What `GET /` says.
extension ControlRouter {
    static let help: JSONValue = [
        "name": "APNs simulator, control address",
        "endpoints": [
            "GET /status": "the counters",
            "GET /notifications": """
            what was received, the oldest first; query: token, topic, push_type, collapse_id, apns_id, status, limit \
            (default 100), offset, wait_for (a number of matching notifications), timeout (seconds, default 10); a refused \
            one has its "cause", one that departs from Apple's documentation its "deviations"
            """,
            "DELETE /notifications": "forgets what was received and sets the counters to zero",
            "GET /answers": "the scripted answers that are left",
            "PUT /answers": """
            how the next valid requests to a token (null: to any) are answered, in place of what was scripted for it: \
            {"token":…,"status":410,"reason":"Unregistered","timestamp":ms,"times":n,"delay_ms":0,"retry_after":s}, or \
            {"token":…,"answers":[{"status":…},…]}; "times" is 1 when left out, and null for all that follow
            """,
            "POST /answers": "the same, after what was scripted before",
            "DELETE /answers": "drops scripted answers; query: token (default: all)",
            "GET /connections": "the scripts for connections that are left",
            "PUT /connections": """
            how the next connections misbehave, in place of what was scripted: one step, or {"connections":[…,…]}; a step \
            has any of "times":n (1 when left out, null for all that follow), "stall_handshake":true, "stall_after":n, \
            "break":{"after":n,"with":"reset" or "close","in_answer":false}, \
            "goaway":{"after":n,"reason":"Shutdown","leave_out_last":false}, \
            "stream_limits":[{"after":n,"limit":n},…], "refuse_every":n, \
            "reset":{"every":n,"code":2,"accept":false}, \
            "latency":{"ms":[…],"seed":0} or {"p50_ms":n,"p99_ms":n,"max_ms":n,"seed":0}, \
            "expired_provider_token":{"after":n or null}, "max_provider_tokens":n, "limit_resets":true
            """,
            "POST /connections": "the same, after what was scripted before",
            "DELETE /connections": "drops what is scripted for connections; open ones keep theirs",
        ],
    ]
}
