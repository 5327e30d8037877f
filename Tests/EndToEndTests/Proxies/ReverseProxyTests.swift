import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("A proxy in front of a gateway and of an app's own server", .timeLimit(.minutes(10)))
struct ReverseProxyTests {
    private static let settings = [
        "functions.runs.enabled": "true", "functions.turns.enabled": "true", "functions.sessions.enabled": "true",
        "functions.humantasks.enabled": "true", "functions.runs.apiKeys": "0123456789abcdef01234567",
        "functions.sessions.masterKey": "0123456789abcdef01234567", "functions.turns.site": "http://127.0.0.1:1",
        "http.trustedProxies": "127.0.0.1",
        "http.names":
            "agents.example.com,runs.example.com,turns.example.com,sessions.example.com,tasks.example.com",
    ]

    /// Requests to the gateway's paths, and the status of its answer.
    private static let gateways: [(host: String, request: String, status: Int)] = [
        ("agents", "POST /triggerReplyFinished", 401), ("agents", "POST /prefix/registerSubscription", 401),
        ("agents", "POST /project/region/unregisterSubscription", 401), ("agents", "GET /triggerReplyFinished", 405),
        ("agents", "POST /updateReply", 401), ("agents", "POST /prefix/createPairing", 401),
        ("agents", "POST /try/pair", 400),
        ("agents", "PUT /try/subscription", 401), ("agents", "GET /try", 200), ("agents", "GET /try/worker.js", 200),
        ("runs", "POST /api/devices", 401), ("runs", "DELETE /api/devices/0f0f%2F", 401),
        ("runs", "POST /api/events", 401), ("runs", "GET /api/approvals/a-1?wait=1", 401),
        ("runs", "POST /api/approvals/a-1", 401),
        ("turns", "POST /register", 400), ("turns", "GET /check/x", 400), ("turns", "GET /check", 400),
        ("turns", "GET /diagnostics/x", 400), ("turns", "GET /users-by-token/a", 200),
        ("turns", "PUT /check/7", 405),
        ("sessions", "GET /api/v1/ping", 401), ("sessions", "POST /api/v1/events", 401),
        ("sessions", "POST /api/v1/hooks/http", 401), ("sessions", "POST /api/v1/push/register", 401),
        ("sessions", "GET /api/v1/devices", 401), ("sessions", "POST /api/v1/devices/register", 401),
        ("sessions", "GET /api/v1/devices/d/sessions", 401), ("sessions", "GET /api/v1/notifications?limit=2", 401),
        ("sessions", "POST /api/v1/notifications/ack", 401), ("sessions", "GET /api/v1/sessions", 401),
        ("sessions", "GET /api/v1/sessions/s/events", 401),
        ("tasks", "POST /api/devices/register", 400), ("tasks", "GET /api/devices/0f", 404),
        ("tasks", "GET /api/hits", 401), ("tasks", "GET /api/hits/aaaaaaaa", 404), ("tasks", "GET /hit/aaaaaaaa", 404),
        ("tasks", "POST /api/hits/bulk-delete", 401), ("tasks", "PATCH /api/hits/aaaaaaaa/complete", 404),
    ]

    /// Requests to paths of the app's own server.
    private static let own: [(host: String, request: String)] = [
        ("agents", "GET /"), ("agents", "POST /triggerReplyFinished/more"), ("agents", "GET /api/devices"),
        ("agents", "GET /tries"),
        ("runs", "GET /"), ("runs", "GET /api/runs"), ("runs", "POST /api/runs/7/approve"), ("runs", "GET /health"),
        ("runs", "GET /api/devicesx"), ("runs", "GET /api/events/7"), ("runs", "GET /api/hits"),
        ("turns", "GET /"), ("turns", "GET /registered"), ("turns", "GET /checks/7"), ("turns", "GET /api/v1/ping"),
        ("sessions", "GET /"), ("sessions", "GET /admin/api-keys"), ("sessions", "POST /admin/api-keys"),
        ("sessions", "GET /api/v1/projects"), ("sessions", "GET /api/v1/pings"), ("sessions", "GET /api/v2/ping"),
        ("tasks", "GET /"), ("tasks", "GET /api/mcp"), ("tasks", "POST /mcp"), ("tasks", "GET /hits"),
        ("tasks", "GET /api/hitsx"), ("tasks", "GET /health"),
        ("agents", "GET /metrics"), ("runs", "GET /console/"), ("turns", "GET /readyz"), ("tasks", "GET /v1/servers"),
    ]

    @Test(
        "The configurations in docs/functions.md send each system's paths to the gateway, and all others to the app's server",
        arguments: ReverseProxy.allCases.filter(\.isInstalled))
    func paths(proxy: ReverseProxy) async throws {
        try await withGateway(Self.settings) { gateway in
            try await proxy.running(before: gateway.caller.port) { port in
                for (number, (host, request, status)) in Self.gateways.enumerated() {
                    // A caller without a key is refused more than ten times a minute otherwise.
                    let answer = try await answer(host, request, port, from: "127.0.1.\(number + 1)")
                    #expect(answer.status == status && answer.text != ReverseProxy.ownAnswer, "\(host) \(request)")
                }
                for (host, request) in Self.own {
                    let answer = try await answer(host, request, port)
                    #expect(answer.status == 200 && answer.text == ReverseProxy.ownAnswer, "\(host) \(request)")
                }
            }
        }
    }

    @Test(
        "The gateway counts callers behind a proxy by their own addresses, and takes a photo of 10 MB through it",
        arguments: ReverseProxy.allCases.filter(\.isInstalled))
    func callers(proxy: ReverseProxy) async throws {
        let settings = Self.settings.merging(["functions.turns.newPlayersPerHourPerAddress": "1"]) { $1 }
        try await withGateway(settings) { gateway in
            try await proxy.running(before: gateway.caller.port) { port in
                for (source, player, status) in [("127.0.0.2", 1, 200), ("127.0.0.3", 2, 200), ("127.0.0.2", 3, 429)] {
                    let body = #"{"user_id":"\#(player)","device_token":"emulated:phone"}"#
                    let answer = try await answer("turns", "POST /register", port, from: source, body: body)
                    #expect(answer.status == status)
                }
                let device = try await answer("tasks", "POST /api/devices/register", port, body: #"{"name":"phone"}"#)
                let created = try await answer(
                    "tasks", "POST /api/hits", port, device: device.json?["id"]?.string,
                    body: #"{"recipient_name":"Tom","task_description":"A photo"}"#)
                let task = try #require(created.json?["id"]?.string)
                let photo: [UInt8] = [0xFF, 0xD8, 0xFF] + Array(repeating: 0, count: 10_000_000)
                let stored = try await answer("tasks", "POST /api/hits/\(task)/upload", port, bytes: photo)
                #expect(stored.status == 201 && stored.json?["file_size"] == 10_000_003)
            }
        }
    }

    private func answer(
        _ host: String, _ request: String, _ port: UInt16, from source: String = "127.0.0.1", device: String? = nil,
        body: String = "", bytes: [UInt8]? = nil
    ) async throws -> RawAnswer {
        let body = bytes ?? Array(body.utf8)
        let head = """
            \(request) HTTP/1.1
            Host: \(host).example.com
            Content-Type: \(bytes == nil ? "application/json" : "image/jpeg")
            Content-Length: \(body.count)
            X-Device-ID: \(device ?? "")
            Connection: close


            """
        let exchange = RawExchange([.send(Array(head.replacing("\n", with: "\r\n").utf8) + body)])
        let outcome = await exchange.run(port: port, from: source)
        return try #require(outcome.answers.first, "\(host) \(request): \(outcome.ending)")
    }
}
