import DocumentStore
import Gateway
import HTTPClient
import HTTPTypes
import JSON
import TestSupport
import Testing

/// Requests from pages of other sites, and requests with foreign host names (DNS rebinding), at endpoints without
/// credentials.
@Suite("Cross-site requests", .timeLimit(.minutes(10)))
struct CrossSiteRequestTests {
    /// An endpoint without credentials, and a body that it accepts.
    struct Endpoint: Sendable, CustomTestStringConvertible {
        let method: HTTPRequest.Method
        let path: String
        var body = ""

        var testDescription: String { "\(method) \(path)" }

        func text(host: String, origin: String? = nil) -> String {
            let fields = origin.map { "Origin: \($0)\r\n" } ?? ""
            return "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\n\(fields)Content-Type: text/plain\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }
    }

    private static let send = Endpoint(
        method: .post, path: "/v1/projects/pushgate/messages:send", body: #"{"message":{"token":"a"}}"#)
    private static let registering = Endpoint(method: .post, path: "/api/devices/register", body: #"{"name":"A"}"#)
    private static let ofEmulator = [
        send, Endpoint(method: .get, path: "/iid/info/a"), Endpoint(method: .post, path: "/token"),
        Endpoint(method: .post, path: "/iid/v1:batchAdd", body: #"{"to":"/topics/a","registration_tokens":["a"]}"#),
    ]
    private static let ofSystems = [
        Endpoint(method: .post, path: "/register", body: #"{"user_id":"1","device_token":"a"}"#),
        registering,
    ]

    /// Systems with open endpoints. The game site does not exist, so no player is looked up.
    private static let systems = [
        "functions.turns.enabled": "true", "functions.turns.site": "http://127.0.0.1:9",
        "functions.humantasks.enabled": "true", "functions.humantasks.newDevicesPerHourPerAddress": "0",
    ]

    private func status(_ endpoint: Endpoint, host: String, origin: String? = nil, _ port: UInt16) async -> Int? {
        await answer(endpoint, host: host, origin: origin, port)?.status
    }

    private func answer(
        _ endpoint: Endpoint, host: String, origin: String? = nil, _ port: UInt16
    ) async -> RawAnswer? {
        // The answer to a message waits for its delivery.
        await RawExchange(endpoint.text(host: host, origin: origin)).run(port: port).answers.first
    }

    @Test(
        "A request from another site's page is refused in emulator mode at every listener",
        arguments: ofEmulator + ofSystems, ["https://evil.example", "null", "http://localhost:1"])
    func foreignOrigin(endpoint: Endpoint, origin: String) async throws {
        try await withFCMAddresses(Self.systems) { gateway, addresses in
            let text = endpoint.text(host: "localhost:\(gateway.port)", origin: origin)
            #expect(await RawExchange(text).run(port: gateway.port).answers.first?.status == 403)
            for (port, isProxy) in [(addresses.tlsPort, false), (addresses.proxyPort, true)] {
                let connection = try await TLSConnection.open(
                    port: port, isProxy: isProxy, trusting: addresses.caFile)
                #expect(try await connection.exchange(text).status == 403)
                try await connection.close()
            }
            #expect(try await gateway.gateway.store.collectionIDs(below: nil).filter { $0 != "schedules" } == [])
        }
    }

    @Test(
        "A request with a foreign host name is refused on loopback at every listener",
        arguments: ofEmulator + ofSystems)
    func foreignHost(endpoint: Endpoint) async throws {
        try await withFCMAddresses(Self.systems) { gateway, addresses in
            for host in ["evil.example:\(gateway.port)", "127.0.0.1.evil.example", "10.0.0.1"] {
                #expect(await status(endpoint, host: host, gateway.port) == 403, "\(host)")
            }
            for host in ["localhost", "LocalHost.:1", "127.0.0.1", "127.9.9.9:80", "[::1]:8080", "[::ffff:127.0.0.1]"] {
                let status = try #require(await status(endpoint, host: host, gateway.port), "\(host)")
                #expect(status != 403, "\(host)")
            }
            for (port, isProxy) in [(addresses.tlsPort, false), (addresses.proxyPort, true)] {
                let connection = try await TLSConnection.open(
                    port: port, isProxy: isProxy, trusting: addresses.caFile)
                for (host, isRefused) in [
                    ("FCM.googleapis.com", false), ("localhost:1", false), ("evil.example", true),
                    ("accounts.google.com", true),
                ] {
                    let status = try await connection.exchange(endpoint.text(host: host)).status
                    #expect((status == 403) == isRefused, "\(host)")
                }
                try await connection.close()
            }
            #expect(await status(endpoint, host: "fcm.googleapis.com", gateway.port) == 403)
        }
    }

    @Test("A request from another site's page is refused over HTTP/2")
    func http2() async throws {
        try await withFCMAddresses { _, addresses in
            for (origin, status) in [("https://evil.example", 403), (nil, 200), (addresses.tls, 200)]
                as [(String?, Int)]
            {
                var fields: HTTPFields = [:]
                fields[.origin] = origin
                let response = try await addresses.answer(
                    to: .init(
                        method: .post, url: addresses.tls + Self.send.path, headerFields: fields,
                        body: Array(Self.send.body.utf8), version: .http2))
                #expect(response.statusCode == status)
            }
        }
    }

    @Test("A refused cross-site request is answered in the endpoint's form, with the setting to change")
    func forms() async throws {
        try await withGateway(Self.systems) { gateway in
            let host = "evil.example"
            let fcm = try #require(await answer(Self.send, host: host, gateway.port)?.json?["error"])
            #expect(fcm["code"] == 403 && fcm["status"] == "PERMISSION_DENIED")
            #expect(fcm["message"]?.string?.contains("http.names") == true)
            #expect(fcm["message"]?.string?.contains("http.trustedProxies") == true)
            let token = try #require(await answer(Self.ofEmulator[2], host: host, gateway.port)?.json)
            #expect(token["error"] == "access_denied")
            #expect(token["error_description"]?.string?.contains("http.names") == true)
            let turns = try #require(await answer(Self.ofSystems[0], host: host, gateway.port))
            #expect(turns.headers["content-type"] == "text/plain; charset=utf-8" && turns.text.contains("http.names"))
            let tasks = try #require(
                await answer(Self.registering, host: "localhost", origin: "https://\(host)", gateway.port))
            #expect(tasks.json?["error"]?.string?.contains("https://evil.example") == true)
            #expect(tasks.json?["error"]?.string?.contains("http.names") == true)
        }
    }

    @Test("A request with any host name is accepted if the gateway listens on all addresses, or from a trusted proxy")
    func hostDoesNotCount() async throws {
        for settings in [["http.host": "0.0.0.0"], ["http.trustedProxies": "127.0.0.0/8"]] {
            try await withGateway(settings) { gateway in
                #expect(await status(Self.send, host: "push.example", gateway.port) == 200)
                #expect(
                    await status(Self.send, host: "push.example", origin: "https://push.example", gateway.port) == 403)
            }
        }
    }

    @Test("A request with a configured host name, or from a page there, is accepted")
    func named() async throws {
        let settings = [
            "http.names": "Push.example, other.example:8443", "functions.humantasks.enabled": "true",
            "functions.humantasks.publicUrl": "https://tasks.example/here",
        ]
        try await withGateway(settings) { gateway in
            for (host, origin, isTaken) in [
                ("push.example", nil, true), ("push.example:9", "http://push.example:9", true),
                ("localhost", "https://push.example", true), ("localhost", "https://push.example:444", false),
                ("other.example", "https://other.example:8443", true),
                ("other.example", "https://other.example", false),
                ("tasks.example", "https://tasks.example", true), ("tasks.example", "http://tasks.example", false),
                ("localhost:\(gateway.port)", gateway.url, true), ("push.example.evil", nil, false),
            ] as [(String, String?, Bool)] {
                let status = await status(Self.send, host: host, origin: origin, gateway.port)
                #expect(status == (isTaken ? 200 : 403), "\(host) \(origin ?? "")")
            }
        }
    }

    @Test("A request without Origin is refused if Sec-Fetch-Site says that another site made it")
    func fetchMetadata() async throws {
        try await withGateway(Self.systems) { gateway in
            for (site, destination, isTaken) in [
                ("cross-site", "image", false), ("cross-site", "iframe", false), ("cross-site", "document", true),
                ("same-origin", "empty", true), ("none", "document", true),
            ] {
                var fields: HTTPFields = [:]
                fields[try #require(HTTPField.Name("Sec-Fetch-Site"))] = site
                fields[try #require(HTTPField.Name("Sec-Fetch-Dest"))] = destination
                let answer = try await gateway.caller.send(.get, "/users-by-token/a", headerFields: fields)
                #expect(answer.status == (isTaken ? 200 : 403), "\(site) \(destination)")
            }
        }
    }

    @Test("A cross-site request is accepted if the endpoint needs credentials or its link is secret")
    func elsewhere() async throws {
        let foreign: HTTPFields = [.origin: "https://evil.example"]
        try await withSimulator { apns in
            let settings = Self.systems.merging(["functions.turns.apiKeys": "0123456789abcdef"]) { $1 }
            try await withGateway(settings, simulator: apns) { gateway in
                #expect(await status(Self.send, host: "evil.example", origin: "null", gateway.port) == 401)
                let key: HTTPFields = [try #require(HTTPField.Name("X-API-Key")): "0123456789abcdef"]
                let users = try await gateway.caller.send(
                    .get, "/users-by-token/a", headerFields: foreign + key)
                #expect(users.status == 200)
                #expect(await status(Self.registering, host: "evil.example", gateway.port) == 403)
            }
            try await withGateway(Self.systems, simulator: apns) { gateway in
                for endpoint in Self.ofSystems {
                    #expect(await status(endpoint, host: "evil.example", gateway.port) == 403)
                }
            }
        }
        try await withGateway(Self.systems) { gateway in
            for path in ["/healthz", "/health", "/hit/abcdefgh"] {
                let page = Endpoint(method: .get, path: path)
                let status = await status(page, host: "evil.example", origin: "null", gateway.port)
                #expect(status == (path.hasPrefix("/hit") ? 404 : 200))
            }
            let form = Endpoint(method: .post, path: "/hit/abcdefgh/answer")
            #expect(await status(form, host: "evil.example", origin: "null", gateway.port) == 404)
        }
    }
}
