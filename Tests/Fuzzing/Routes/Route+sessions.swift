/// The routes of coding sessions.
extension Route {
    private static let key = [(name: "Authorization", value: "Bearer <sessionsKey>")]

    static let sessions = [
        Route(
            "sessions", "POST", "/api/v1/push/register", key,
            [#"{"platform":"ios","push_token":"emulated:sessions-<n>","sandbox":true}"#]),
        Route(
            "sessions", "POST", "/api/v1/devices/register", key,
            [#"{"platform":"ios","push_token":"emulated:sessions-<n>"}"#]),
        Route(
            "sessions", "POST", "/api/v1/events", key,
            ["UserPromptSubmit", "Stop", "Notification", "PermissionRequest", "PreToolUse"].map {
                #"{"device":{"device_id":"mac-<n>","device_name":"A Mac","platform":"darwin"},"event":{"session_id":"s-<n>","hook_event_name":"\#($0)","prompt":"Fix it","message":"Because","notification_type":"idle_prompt","tool_name":"Bash","cwd":"/srv/app"},"timestamp":"2026-11-22T10:00:0<n>Z"}"#
            }),
        Route(
            "sessions", "POST", "/api/v1/hooks/http",
            key + [
                ("X-Claudiator-Device-Id", "mac-<n>"), ("X-Claudiator-Device-Name", "A Mac"),
                ("X-Claudiator-Platform", "darwin"),
            ],
            [
                #"{"session_id":"s-<n>","hook_event_name":"Stop","cwd":"/srv/app","permission_mode":"default"}"#,
                #"{"session_id":"s-<n>","hook_event_name":"Notification","notification_type":"permission_prompt","message":"May I?"}"#,
            ]),
        Route("sessions", "GET", "/api/v1/ping", key),
        Route(
            "sessions", "GET", "/api/v1/notifications?after=2026-11-22T10:00:00Z&limit=5<n>", key,
            captures: [("notification", "notifications.0.id")]),
        Route("sessions", "POST", "/api/v1/notifications/ack", key, [#"{"ids":["<notification>","<word>"]}"#]),
        Route("sessions", "GET", "/api/v1/devices?limit=1<n>", key, captures: [("mac", "devices.0.device_id")]),
        Route("sessions", "GET", "/api/v1/devices/<mac>/sessions", key),
        Route("sessions", "GET", "/api/v1/sessions", key, captures: [("session", "sessions.0.session_id")]),
        Route("sessions", "GET", "/api/v1/sessions?status=<word>&exclude_ended=true&offset=<n>&limit=1<n>", key),
        Route("sessions", "GET", "/api/v1/devices/<mac>/sessions?status=ended&limit=1<n>", key),
        Route("sessions", "GET", "/api/v1/sessions/<session>/events?limit=1<n>", key),
        Route("sessions", "GET", "/api/v1/sessions/nothing/here", key, expected: [404]),
        Route(
            "sessions", "POST", "/admin/api-keys", key,
            [
                #"{"name":"key <word>","scopes":["read","write"],"rate_limit":1<n>000000}"#,
                #"{"name":"key <n>","scopes":["write"]}"#,
            ], expected: [201, 403], captures: [("sessionKey", "id")]),
        Route("sessions", "GET", "/admin/api-keys", key, expected: [200, 403]),
        Route("sessions", "DELETE", "/admin/api-keys/<sessionKey>", key, expected: [200, 403, 404]),
    ]
}
