/// The routes by which browsers register.
extension Route {
    private static let subscription = OddSubscription.valid
    private static let origin = (name: "Origin", value: "https://app.example.com")
    private static let agent = [(name: "Authorization", value: "Bearer <agentSecret>"), json]
    private static let caller = [(name: "Authorization", value: "Bearer <accessToken>"), json]

    static let webPush: [Route] = [keys, preflights, registrations, removals, surveys].flatMap(\.self)

    /// An emulator has no key.
    private static let keys = [
        Route("web push", "GET", "/webpush/key", expected: [200, 404]),
        Route("web push", "GET", "/prefix/webpush/key", [origin], expected: [200, 404]),
    ]

    private static let preflights = [
        "/registerSubscription", "/api/v1/push/register", "/webpush/v1/registrations",
    ].map { path in
        Route("web push", "OPTIONS", path, [origin, ("Access-Control-Request-Method", "POST")], expected: [204])
    }

    /// A subscription in place of a token, alone and in place of another one.
    private static let registrations = BrowserCall.all.map { call in
        call.route(
            "web push",
            [#""web_push":\#(subscription)"#, #""web_push":\#(subscription),"replaces":\#(subscription)"#],
            expected: call.accepted, captures: call.captures)
    }

    private static let removals = [
        Route(
            "web push", "POST", "/triggerReplyFinished", agent,
            [
                #"{"cwd":"/srv/app","exclude_web_push":\#(subscription)}"#,
                #"{"cwd":"/srv/app","exclude_web_push":"https://push.invalid/<n>","exclude_fcm_token":"x"}"#,
                #"{"cwd":"/srv/app","exclude_web_push":"https://[::1/"}"#,
            ]),
        Route(
            "web push", "DELETE", "/api/devices/https%3A%2F%2Fpush.invalid%2F<n>",
            [("Authorization", "Bearer <runsKey>")], expected: [204, 404]),
        Route("web push", "DELETE", "/webpush/v1/registrations/<browser>", caller, expected: [200, 404]),
    ]

    private static let surveys = [
        Route("web push", "GET", "/webpush/v1/survey", [("Authorization", "Bearer <admin>")])
    ]
}

/// The same calls with what none of them may take, or do anything with. An answer of success is a finding.
extension Route {
    static let oddSubscriptions: [Route] = [noSubscriptions, forbidden, odd].flatMap(\.self)

    private static let noSubscriptions = BrowserCall.all.map { call in
        call.route(
            "no subscription", OddSubscription.bodies.map { #""web_push":\#($0)"# } + both(call),
            expected: call.refused)
    }

    private static func both(_ call: BrowserCall) -> [String] {
        call.token.map { [#""web_push":\#(subscription),"\#($0)":"emulated:<n>""#] } ?? []
    }

    /// An emulator, which connects to nothing, takes these.
    private static let forbidden = BrowserCall.all.map { call in
        call.route(
            "forbidden server", OddSubscription.forbidden.map { #""web_push":\#($0)"# },
            expected: call.accepted.union(call.refused))
    }

    private static let odd = [
        Route(
            "damaged token", "POST", "/registerSubscription", agent,
            OddSubscription.damagedTokens.map(registration), expected: [400]),
        Route(
            "damaged token", "POST", "/v1/projects/pushgate/messages:send", caller,
            OddSubscription.damagedTokens.map(message), expected: [400]),
        // The server is judged when the message is sent.
        Route(
            "forbidden token", "POST", "/registerSubscription", agent, [registration(OddSubscription.forbiddenToken)]),
        // An emulator takes it.
        Route(
            "forbidden token", "POST", "/v1/projects/pushgate/messages:send", caller,
            [message(OddSubscription.forbiddenToken)], expected: [200, 400, 403]),
        Route("odd code", "POST", "/try/pair", [json], codes.map { #"{"code":"\#($0)"}"# }, expected: [404, 429]),
    ]

    private static func registration(_ token: String) -> String {
        #"{"cwd":"/srv/app","installation_id":"browser-<n>","fcm_token":"\#(token)"}"#
    }

    private static func message(_ token: String) -> String {
        #"{"message":{"token":"\#(token)","data":{"k":"v"}}}"#
    }

    /// Texts that are no pairing codes, in escaped form.
    private static let codes = [
        "0", "000G40R40M30E209185GR38E1", "000G40R40M30E209185GR38E1WW", "000g4-0r40m-30e20-9185g-r38e1-w",
        "ILOUilou-ILOUilou-ILOUilou", "\\u0000", "000G40R40M30E209185GR38E1\\u0000", "---", "😀",
        String(repeating: "０", count: 26), String(repeating: "0", count: 5_000), "' OR 1=1 --", "../../console",
    ]
}
