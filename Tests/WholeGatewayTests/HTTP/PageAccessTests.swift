import Gateway
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("Calls of pages of other origins", .timeLimit(.minutes(10)))
struct PageAccessTests {
    private static let page = "https://app.example.com"
    private static let settings = [
        "webpush.allowedOrigins": "\(page), https://other.example:8443", "functions.runs.enabled": "true",
        "functions.runs.apiKeys": "0123456789abcdef", "functions.turns.enabled": "true",
        "functions.turns.site": "http://127.0.0.1:9", "functions.sessions.enabled": "true",
        "functions.sessions.masterKey": "0123456789abcdef", "functions.humantasks.enabled": "true",
    ]
    /// The calls that register a browser, or end that.
    private static let calls: [(HTTPRequest.Method, String)] = [
        (.post, "/registerSubscription"), (.post, "/prefix/registerSubscription"),
        (.post, "/demo/us-central1/unregisterSubscription"), (.post, "/api/devices"), (.delete, "/api/devices/a"),
        (.post, "/register"), (.post, "/api/v1/push/register"), (.post, "/api/v1/devices/register"),
        (.post, "/api/devices/a/apns-token"), (.get, "/webpush/key"), (.post, "/webpush/v1/registrations"),
        (.delete, "/webpush/v1/registrations/a"), (.post, "/prefix/webpush/v1/registrations"),
    ]
    /// Calls of the same systems that register nothing.
    private static let others: [(HTTPRequest.Method, String)] = [
        (.post, "/triggerReplyFinished"), (.post, "/api/events"), (.get, "/api/devices/a"),
        (.post, "/api/devices/register"), (.get, "/users-by-token/a"), (.get, "/api/v1/notifications"),
        (.post, "/v1/projects/pushgate/messages:send"), (.post, "/iid/v1:batchAdd"), (.get, "/v1/deliveries"),
        (.put, "/registerSubscription"), (.post, "/webpush/key"), (.get, "/healthz"),
    ]

    private func preflight(
        _ gateway: RunningGateway, _ method: HTTPRequest.Method, _ path: String, origin: String? = Self.page,
        _ more: HTTPFields = [:]
    ) async throws -> Answer {
        var fields: HTTPFields = [
            .accessControlRequestMethod: method.rawValue,
            .accessControlRequestHeaders: "authorization,content-type",
        ]
        fields[.origin] = origin
        return try await gateway.caller.send(.options, path, headerFields: fields + more)
    }

    @Test("A page of a listed origin may make the calls that register a browser, and reads their answers")
    func allowed() async throws {
        try await withGateway(Self.settings) { gateway in
            for (method, path) in Self.calls {
                let asked = try await preflight(gateway, method, path)
                #expect(asked.status == 204, "\(method) \(path)")
                #expect(asked.headerFields[.accessControlAllowOrigin] == Self.page)
                #expect(asked.headerFields[.accessControlAllowMethods]?.contains(method.rawValue) == true)
                #expect(asked.headerFields[.accessControlAllowHeaders]?.contains("Authorization") == true)
                #expect(asked.headerFields[.accessControlAllowCredentials] == nil)
                #expect(asked.headerFields[.vary] == "Origin")
                // An error too, as here without credentials and body.
                let answer = try await gateway.caller.send(method, path, headerFields: [.origin: Self.page])
                #expect(answer.status >= 400 && answer.status != 405, "\(method) \(path)")
                #expect(answer.headerFields[.accessControlAllowOrigin] == Self.page, "\(method) \(path)")
                #expect(answer.headerFields[.vary] == "Origin")
            }
            let port = try await preflight(gateway, .get, "/webpush/key", origin: "https://other.example:8443")
            #expect(port.status == 204)
        }
    }

    @Test("A page of a listed origin registers a browser, and reads the answer")
    func registration() async throws {
        try await withGateway(Self.settings) { gateway in
            let subscription = SampleSubscription.json("https://push.invalid/1")
            let agent: JSONValue = ["cwd": "/srv/app", "installation_id": "a", "web_push": subscription]
            let page: HTTPFields = [.origin: Self.page]
            let registered = try await gateway.caller.call(
                "registerSubscription", agent, secret: .randomSecret(), headerFields: page)
            #expect(registered.status == 200 && registered.headerFields[.accessControlAllowOrigin] == Self.page)
            // These need no credentials here, and refuse pages of other origins.
            for (path, body) in [
                ("/register", ["user_id": "7", "web_push": subscription]),
                ("/webpush/v1/registrations", ["web_push": subscription]),
            ] as [(String, JSONValue)] {
                for (origin, status) in [(Self.page, 200), ("https://evil.example", 403), ("null", 403)] {
                    let answer = try await gateway.caller.send(
                        .post, path, headerFields: [.origin: origin], body: body.serialized)
                    #expect(answer.status == status, "\(path) \(origin)")
                    let named = answer.headerFields[.accessControlAllowOrigin]
                    #expect(named == (status == 200 ? origin : nil))
                }
            }
        }
    }

    @Test("A page of a listed origin may make no other calls")
    func otherCalls() async throws {
        try await withGateway(Self.settings) { gateway in
            for (method, path) in Self.others {
                let asked = try await preflight(gateway, method, path)
                #expect(asked.status != 204 && asked.headerFields[.accessControlAllowOrigin] == nil, "\(path)")
                let answer = try await gateway.caller.send(method, path, headerFields: [.origin: Self.page])
                #expect(answer.headerFields[.accessControlAllowOrigin] == nil, "\(method) \(path)")
            }
        }
    }

    @Test(
        "A page of another origin gets no permission, and OPTIONS of a function stays 405",
        arguments: [
            "https://evil.example", "http://app.example.com", "https://app.example.com:8443", "https://other.example",
            "https://app.example.com.evil.example", "null", "https://app.example.com, https://evil.example",
        ])
    func notAllowed(origin: String) async throws {
        try await withGateway(Self.settings) { gateway in
            for (method, path) in Self.calls {
                let asked = try await preflight(gateway, method, path, origin: origin)
                #expect(asked.status != 204 && asked.headerFields[.accessControlAllowOrigin] == nil, "\(path)")
                let answer = try await gateway.caller.send(method, path, headerFields: [.origin: origin])
                #expect(answer.headerFields[.accessControlAllowOrigin] == nil, "\(path)")
            }
            let function = try await preflight(gateway, .post, "/registerSubscription", origin: origin)
            #expect(function.status == 405 && function.code == "method_not_allowed")
        }
    }

    @Test("Without the setting no page of another origin gets permission, and OPTIONS of a function is 405")
    func nobody() async throws {
        try await withGateway { gateway in
            for origin in [Self.page, "http://localhost:3000", gateway.url, nil] {
                let asked = try await preflight(gateway, .post, "/registerSubscription", origin: origin)
                #expect(asked.status == 405 && asked.code == "method_not_allowed")
                #expect(asked.headerFields[.accessControlAllowOrigin] == nil && asked.headerFields[.vary] == nil)
                let key = try await preflight(gateway, .get, "/webpush/key", origin: origin)
                #expect(key.status == 404 && key.headerFields[.accessControlAllowOrigin] == nil)
            }
        }
    }

    @Test("Without an origin or a wanted method, OPTIONS is no preflight request")
    func plainOptions() async throws {
        try await withGateway(Self.settings) { gateway in
            let withoutOrigin = try await preflight(gateway, .post, "/registerSubscription", origin: nil)
            let withoutMethod = try await gateway.caller.send(
                .options, "/registerSubscription", headerFields: [.origin: Self.page])
            let otherMethod = try await preflight(gateway, .delete, "/registerSubscription")
            for answer in [withoutOrigin, withoutMethod, otherMethod] {
                #expect(answer.status == 405 && answer.headerFields[.accessControlAllowOrigin] == nil)
            }
        }
    }

    @Test("A page of a public site may reach a gateway on this machine if its browser asks")
    func localNetwork() async throws {
        try await withGateway(["webpush.allowedOrigins": "loopback"]) { gateway in
            let question = try #require(HTTPField.Name("Access-Control-Request-Private-Network"))
            let answer = try #require(HTTPField.Name("Access-Control-Allow-Private-Network"))
            let origin = "http://localhost:3000"
            let asked = try await preflight(gateway, .get, "/webpush/key", origin: origin, [question: "true"])
            #expect(asked.status == 204 && asked.headerFields[answer] == "true")
            #expect(try await preflight(gateway, .get, "/webpush/key", origin: origin).headerFields[answer] == nil)
        }
    }

    @Test("A listed page that uses a foreign name for the gateway is refused, as others are")
    func foreignName() async throws {
        try await withGateway(Self.settings) { gateway in
            let body = #"{"user_id":"7","device_token":"emulated:a"}"#
            let text =
                "POST /register HTTP/1.1\r\nHost: evil.example\r\nOrigin: \(Self.page)\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
            let answer = await RawExchange(text).run(port: gateway.port).answers.first
            #expect(answer?.status == 403)
        }
    }
}
