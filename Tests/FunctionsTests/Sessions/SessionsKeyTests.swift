import DocumentStore
import Functions
import HTTPTypes
import JSON
import TestDoubles
import Testing

@Suite("Sessions: keys", .timeLimit(.minutes(10)))
struct SessionsKeyTests {
    private static let unauthorized = SessionsBench.error(.unauthorized, "unauthorized", "Invalid or missing API key")
    private static let forbidden = SessionsBench.error(
        .forbidden, "forbidden", "Insufficient permissions for this endpoint")

    private static func rateLimited(_ seconds: Int) -> FunctionResponse {
        FunctionResponse(
            status: .tooManyRequests, headerFields: [.retryAfter: String(seconds)],
            body: ["error": "rate_limited", "message": "Too many failed authentication attempts"])
    }

    private static let reading = [
        "ping", "notifications", "devices", "devices/device-1/sessions", "sessions", "sessions/session-1/events",
    ]
    private static let writing = [
        "events", "hooks/http", "push/register", "devices/register", "notifications/ack",
    ]

    @Test(
        "A request to sessions without the exact key is refused before its path and body are checked",
        arguments: [
            "", "Bearer", "Bearer ", "bearer \(SessionsBench.masterKey)", "Bearer  \(SessionsBench.masterKey)",
            "Bearer \(SessionsBench.masterKey)x", "Basic \(SessionsBench.masterKey)", SessionsBench.masterKey,
            "Bearer \(SessionsBench.masterKey.dropLast())", "Bearer claud_" + String(repeating: "0", count: 32),
        ])
    func refused(authorization: String) async throws {
        let bench = try SessionsBench()
        for (number, (method, path)) in [
            (HTTPRequest.Method.post, "/api/v1/events"), (.get, "/api/v1/ping"),
            (.get, "/api/v1/notifications/no/such"),
        ].enumerated() {
            let answer = try await bench.call(
                method, path, text: "{", headers: [.authorization: authorization], address: "192.0.2.\(number)")
            #expect(answer == Self.unauthorized)
        }
    }

    @Test("A key allows its scopes, and the master key and a key of both lists allow everything")
    func scopes() async throws {
        let bench = try SessionsBench()
        _ = try await bench.report("Stop")
        for (paths, method, other) in [
            (Self.reading, HTTPRequest.Method.get, SessionsBench.writeKey),
            (Self.writing, .post, SessionsBench.readKey),
        ] {
            for path in paths.map({ "/api/v1/" + $0 }) {
                let refused = try await bench.call(
                    method, path, text: "{", headers: SessionsBench.authorization(other))
                #expect(refused == Self.forbidden, "\(path)")
                let own = other == SessionsBench.writeKey ? SessionsBench.readKey : SessionsBench.writeKey
                for key in [own, SessionsBench.bothKey, SessionsBench.masterKey] {
                    let answer = try await bench.call(
                        method, path, text: "{", headers: SessionsBench.authorization(key))
                    #expect(answer.status == (method == .get ? .ok : .unprocessableContent), "\(path)")
                }
            }
        }
    }

    @Test("An address with ten failures waits for the window's end, unless it used the key before")
    func limit() async throws {
        let bench = try SessionsBench()
        func ask(_ key: String, address: String = "192.0.2.1") async throws -> FunctionResponse {
            try await bench.call(
                .get, "/api/v1/ping", headers: SessionsBench.authorization(key), address: address)
        }
        for _ in 0..<30 { #expect(try await ask(SessionsBench.masterKey).status == .ok) }
        for _ in 0..<30 {
            let answer = try await bench.call(
                .post, "/api/v1/events", headers: SessionsBench.authorization(SessionsBench.readKey))
            #expect(answer == Self.forbidden)
        }
        for _ in 0..<10 { #expect(try await ask("wrong") == Self.unauthorized) }
        #expect(try await ask("wrong") == Self.rateLimited(300))
        #expect(try await ask(SessionsBench.masterKey).status == .ok)
        #expect(try await ask(SessionsBench.bothKey) == Self.rateLimited(300))
        #expect(try await ask("wrong", address: "192.0.2.2") == Self.unauthorized)
        bench.clock.advance(by: .seconds(299))
        #expect(try await ask(SessionsBench.bothKey) == Self.rateLimited(1))
        bench.clock.advance(by: .seconds(1))
        #expect(try await ask(SessionsBench.bothKey).status == .ok)
    }

    @Test("After 100,000 failures from as many networks, a new address with the right key is accepted")
    func manyNetworks() async throws {
        let bench = try SessionsBench()
        let wrong = SessionsBench.authorization("wrong")
        for number in 0..<100_000 {
            let network = "2001:db8:\(number >> 16):\(number & 65_535)::/64"
            _ = try await bench.call(.get, "/api/v1/ping", headers: wrong, address: network)
        }
        for address in ["192.0.2.1", "2a00:1::/64", "198.51.100.7"] {
            #expect(try await bench.call(.get, "/api/v1/ping", address: address).status == .ok, "\(address)")
        }
    }

    @Test("Of concurrent failures ten are answered with 401 and the others with 429")
    func concurrentFailures() async throws {
        let bench = try SessionsBench()
        let statuses = try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    try await bench.call(.get, "/api/v1/ping", headers: SessionsBench.authorization("wrong")).status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count { $0 == .unauthorized } == 10)
        #expect(statuses.count { $0 == .tooManyRequests } == 30)
    }
}
