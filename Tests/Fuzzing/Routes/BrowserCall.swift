/// A call that registers a browser by its subscription.
struct BrowserCall: Sendable {
    let method: String
    let target: String
    let fields: [(name: String, value: String)]
    /// The members of the body beside the subscription, with a comma after each.
    var members = ""
    /// The field of a token, which no body has beside a subscription; `nil` if there is none.
    var token: String?
    /// The statuses of a well-formed request.
    var accepted: Set<Int> = [200]
    /// The statuses of a request with what is no subscription.
    var refused: Set<Int> = [400]
    var captures: [(value: String, place: AnswerPlace)] = []

    /// The calls of the systems, and that of FCM's interface.
    static let all = [
        BrowserCall(
            method: "POST", target: "/registerSubscription",
            fields: [("Authorization", "Bearer <agentSecret>"), Route.json, ("Origin", "https://app.example.com")],
            members: #""cwd":"/srv/app","installation_id":"browser-<n>","#, token: "fcm_token"),
        BrowserCall(
            method: "POST", target: "/api/devices", fields: [("Authorization", "Bearer <runsKey>")],
            members: #""platform":"web","#, token: "token", accepted: [201]),
        BrowserCall(
            method: "POST", target: "/register", fields: [("X-API-Key", "<turnsKey>")],
            members: #""user_id":"17<n>","#, token: "device_token"),
        BrowserCall(
            method: "POST", target: "/api/v1/push/register", fields: [("Authorization", "Bearer <sessionsKey>")],
            members: #""platform":"web","#, token: "push_token", refused: [422]),
        BrowserCall(
            method: "POST", target: "/api/v1/devices/register", fields: [("Authorization", "Bearer <sessionsKey>")],
            members: #""platform":"web","#, token: "push_token", refused: [422]),
        // The credential may be that of another device.
        BrowserCall(
            method: "POST", target: "/api/devices/<device>/apns-token", fields: [("Authorization", "Bearer <mcp>")],
            token: "token", accepted: [200, 403], refused: [400, 403]),
        BrowserCall(
            method: "POST", target: "/webpush/v1/registrations",
            fields: [("Authorization", "Bearer <accessToken>"), Route.json],
            captures: [("browser", "registration_token")]),
        // The credential may have ended.
        BrowserCall(
            method: "PUT", target: "/try/subscription",
            fields: [("Authorization", "Bearer <pairedDevice>"), Route.json], accepted: [200, 401, 429],
            refused: [400, 401, 429]),
        BrowserCall(
            method: "POST", target: "/webpush/v1/registrations",
            fields: [("Authorization", "Bearer <pairedDevice>"), Route.json], accepted: [200, 401, 429],
            refused: [400, 401, 429]),
    ]

    /// Returns a route whose bodies have these members.
    func route(
        _ system: String, _ bodies: [String], expected: Set<Int>,
        captures: [(value: String, place: AnswerPlace)] = []
    ) -> Route {
        Route(
            system, method, target, fields, bodies.map { "{\(members)\($0)}" }, expected: expected, captures: captures)
    }
}
