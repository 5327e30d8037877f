/// The routes of a gateway with all systems enabled, in an order in which each finds the ids that it refers to.
extension Route {
    /// The routes of all groups, in the order in which the survey requests them.
    package static let all = [
        open, codeAgents, pairing, runs, turns, sessions, humanTasks, page, relay, messages, topics, webPush,
        oddSubscriptions, admin, databases, transforms, queries, misspelt, emulator, console, signedIn,
    ].flatMap(\.self)

    static let json = (name: "Content-Type", value: "application/json")

    private static let open = [
        Route("open", "GET", "/"), Route("open", "GET", "/healthz"), Route("open", "GET", "/health"),
        Route("open", "GET", "/readyz"), Route("open", "GET", "/metrics"),
        Route("open", "GET", "/nothing/here", expected: [404]), Route("open", "GET", "/api", expected: [404]),
    ]

    private static let agent = [(name: "Authorization", value: "Bearer <agentSecret>"), json]

    private static let codeAgents = [
        Route(
            "code agents", "POST", "/registerSubscription", agent,
            [
                #"{"cwd":"/srv/app","installation_id":"phone-<n>","fcm_token":"emulated:phone-<n>"}"#,
                #"{"cwd":"/srv/<word>","installation_id":"phone-<n>","fcm_token":"<hex>","agent_display_name":"An agent","platform":"ios","app_version":"1.2","bundle_id":"com.example.agents","apns_environment":"sandbox"}"#,
                #"{"cwd":"/srv/app","installation_id":"phone-<n>","fcm_token":"emulated:phone-<n>","live_activity":{"push_to_start_token":"emulated:phone-<n>","frequent_updates":false,"update_tokens":{"c-<n>":"<hex>"}}}"#,
            ]),
        Route(
            "code agents", "POST", "/prefix/triggerReplyFinished", agent + [("Prefer", "respond-async")],
            [
                #"{"cwd":"/srv/app","message_preview":"Done: <word>","include_preview":true,"conversation_id":"c-<n>","completion_id":"k-<n>","renderable_assistant_count":3,"assistant_message_cursor":7,"cursor_version":1,"finished_at":"2026-11-22T10:00:00Z"}"#,
                #"{"cwd":"/srv/app","exclude_installation_id":"phone-<n>","exclude_fcm_token":"emulated:phone-<n>"}"#,
            ]),
        Route(
            "code agents", "POST", "/updateReply", agent,
            [
                #"{"cwd":"/srv/app","conversation_id":"c-<n>","state":"running","step":"<word>","percentage":40,"text":"<word>"}"#,
                #"{"cwd":"/srv/app","state":"waiting","text":"Which branch?"}"#,
                #"{"cwd":"/srv/app","state":"failed"}"#,
            ]),
        Route(
            "code agents", "POST", "/demo/us-central1/unregisterSubscription", agent,
            [#"{"installation_id":"phone-<n>","cwd":"/srv/app"}"#, #"{"installation_id":"phone-<n>"}"#]),
        Route("code agents", "POST", "/registerSubscription/nothing/here", agent, ["{}"], expected: [404]),
    ]

    private static let device = [(name: "Authorization", value: "Bearer <pairedDevice>"), json]

    /// Devices whose credential has ended and codes that were used are refused.
    private static let pairing = [
        Route(
            "pairing", "POST", "/createPairing", agent,
            [#"{"cwd":"/srv/app"}"#, #"{"cwd":"/srv/<word>","agent_display_name":"<word>"}"#],
            captures: [("pairingCode", "code")]),
        Route(
            "pairing", "POST", "/try/pair", [json], [#"{"code":"<pairingCode>"}"#], expected: [200, 404, 429],
            captures: [("pairedDevice", "credential")]),
        Route("pairing", "GET", "/try"), Route("pairing", "GET", "/try/worker.js"),
        Route("pairing", "GET", "/try/icon.png"),
        Route("pairing", "GET", "/try/manifest.webmanifest?code=<pairingCode>"),
        Route(
            "pairing", "POST", "/try/pair", [json], ["{}", #"{"code":" "}"#, #"{"code":null}"#, #"{"code":[]}"#],
            expected: [200, 403]),
        Route(
            "pairing", "PUT", "/try/subscription", device,
            [
                #"{"web_push":{"endpoint":"https://push.invalid/<word>","expirationTime":null,"keys":{"p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4","auth":"BTBZMqHH6r4Tts7J_aSIgg"}}}"#
            ], expected: [200, 401, 429]),
        Route("pairing", "DELETE", "/try/subscription", device, expected: [200, 401, 429]),
    ]

    private static let runsKey = [(name: "Authorization", value: "Bearer <runsKey>")]

    private static let runs = [
        Route(
            "runs", "POST", "/api/devices", runsKey, [#"{"token":"emulated:runs-<n>","platform":"ios"}"#],
            expected: [201]),
        Route(
            "runs", "POST", "/api/events", runsKey,
            ["approval_requested", "approval_resolved", "run_completed", "run_failed", "run_cancelled", "run_started"]
                .map {
                    #"{"id":"<word>","run_id":"run-<n>","seq":<n>,"type":"\#($0)","data":{"approval_id":"a-<n>","type":"command","repo_name":"repo","prompt_preview":"Fix it","error":"none","server_id":"server-<n>"},"created_at":1795341600}"#
                }, expected: [202]),
        Route("runs", "GET", "/api/approvals/a-<n>", runsKey, expected: [200, 404]),
        Route(
            "runs", "POST", "/api/approvals/a-<n>", runsKey,
            [#"{"decision":"approve"}"#, #"{"decision":"deny"}"#], expected: [200, 404, 409]),
        Route("runs", "DELETE", "/api/devices/emulated:runs-<n>", runsKey, expected: [204, 404]),
    ]

    private static let turnsKey = [(name: "X-API-Key", value: "<turnsKey>")]

    private static let turns = [
        Route(
            "turns", "POST", "/register", turnsKey, [#"{"user_id":"17<n>","device_token":"emulated:turns-<n>"}"#]),
        Route("turns", "GET", "/check/17<n>", turnsKey),
        Route("turns", "GET", "/check", turnsKey, expected: [400]),
        Route("turns", "GET", "/diagnostics/17<n>", turnsKey),
        Route("turns", "GET", "/diagnostics", turnsKey, expected: [400]),
        Route("turns", "GET", "/users-by-token/emulated:turns-<n>", turnsKey),
        Route("turns", "GET", "/users-by-token", turnsKey, expected: [400]),
    ]
}
