/// The routes by which browsers register.
extension Route {
    private static let keys =
        #""keys":{"p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4","#
        + #""auth":"BTBZMqHH6r4Tts7J_aSIgg"}"#
    private static let subscription =
        #"{"endpoint":"https://push.invalid/<n>","expirationTime":null,\#(keys)}"#
    /// A subscription in place of a token, alone and in place of another one.
    private static let fields = [
        #""web_push":\#(subscription)"#, #""web_push":\#(subscription),"replaces":\#(subscription)"#,
    ]
    private static let origin = (name: "Origin", value: "https://app.example.com")

    static let webPush =
        [
            // An emulator has no key.
            Route("web push", "GET", "/webpush/key", expected: [200, 404]),
            Route("web push", "GET", "/prefix/webpush/key", [origin], expected: [200, 404]),
            Route(
                "web push", "OPTIONS", "/registerSubscription", [origin, ("Access-Control-Request-Method", "POST")],
                expected: [204]),
            Route(
                "web push", "POST", "/registerSubscription",
                [("Authorization", "Bearer <agentSecret>"), json, origin],
                fields.map { #"{"cwd":"/srv/app","installation_id":"browser-<n>",\#($0)}"# }),
            Route(
                "web push", "POST", "/triggerReplyFinished", [("Authorization", "Bearer <agentSecret>"), json],
                [#"{"cwd":"/srv/app","exclude_web_push":\#(subscription)}"#]),
            Route(
                "web push", "POST", "/api/devices", [("Authorization", "Bearer <runsKey>")],
                fields.map { #"{"platform":"web",\#($0)}"# }, expected: [201]),
            Route(
                "web push", "DELETE", "/api/devices/https%3A%2F%2Fpush.invalid%2F<n>",
                [("Authorization", "Bearer <runsKey>")], expected: [204, 404]),
            Route(
                "web push", "POST", "/register", [("X-API-Key", "<turnsKey>")],
                fields.map { #"{"user_id":"17<n>",\#($0)}"# }),
            Route(
                "web push", "POST", "/api/v1/push/register", [("Authorization", "Bearer <sessionsKey>")],
                fields.map { #"{"platform":"web",\#($0)}"# }),
            Route(
                "web push", "POST", "/api/devices/<device>/apns-token", [("Authorization", "Bearer <mcp>")],
                fields.map { #"{\#($0)}"# }, expected: [200, 403]),
            Route(
                "web push", "POST", "/webpush/v1/registrations", [("Authorization", "Bearer <accessToken>"), json],
                fields.map { #"{\#($0)}"# }, captures: [("browser", "registration_token")]),
            Route(
                "web push", "DELETE", "/webpush/v1/registrations/<browser>",
                [("Authorization", "Bearer <accessToken>")], expected: [200, 404]),
        ] as [Route]
}
