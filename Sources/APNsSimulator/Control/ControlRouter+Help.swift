import JSON

/// What `GET /` says.
extension ControlRouter {
    static let help: JSONValue = [
        "name": "APNs simulator, control address",
        "endpoints": [
            "GET /status": "the counters",
            "GET /notifications": """
            what was received, the oldest first; query: token, topic, push_type, collapse_id, apns_id, status, limit \
            (default 100), offset, wait_for (a number of matching notifications), timeout (seconds, default 10)
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
        ],
    ]
}
