import Cryptography
import DocumentStore
import Functions
import HTTPTypes
import JSON
import TestDoubles
import Testing

@Suite("Sessions: keys made at run time", .timeLimit(.minutes(10)))
struct MadeKeyTests {
    private static let path = "/admin/api-keys"
    private static let forbidden = SessionsBench.error(
        .forbidden, "forbidden", "Insufficient permissions for this endpoint")

    private func create(_ bench: SessionsBench, _ body: JSONValue) async throws -> FunctionResponse {
        try await bench.call(.post, Self.path, body, isFromLoopback: true)
    }

    private func key(_ bench: SessionsBench, scopes: JSONValue, limit: JSONValue = .null) async throws -> JSONValue {
        try await create(bench, ["name": "a laptop", "scopes": scopes, "rate_limit": limit]).body
    }

    private func keys(_ bench: SessionsBench) async throws -> [JSONValue] {
        let answer = try await bench.call(.get, Self.path, isFromLoopback: true)
        return answer.body["keys"]?.array ?? []
    }

    private func status(
        _ bench: SessionsBench, _ method: HTTPRequest.Method, _ path: String, by key: JSONValue
    ) async throws -> Int {
        let headers = SessionsBench.authorization(key["key"]?.string ?? "")
        return try await bench.call(method, path, text: "{", headers: headers).status.code
    }

    @Test("A new key is shown once with all its data and then listed without its text")
    func creation() async throws {
        let bench = try SessionsBench()
        let answer = try await create(bench, ["name": " a laptop ", "scopes": ["write", "read"], "rate_limit": 60])
        #expect(answer.status == .created)
        let (id, text) = (answer.body["id"] ?? .null, try #require(answer.body["key"]?.string))
        #expect(text.wholeMatch(of: /claud_[0-9a-f]{32}/) != nil)
        let created = JSONValue.string(bench.clock.timestamp.description)
        #expect(
            answer.body == [
                "id": id, "name": "a laptop", "scopes": ["read", "write"], "created_at": created, "rate_limit": 60,
                "key": .string(text),
            ])
        #expect(
            try await keys(bench) == [
                [
                    "id": id, "name": "a laptop", "scopes": ["read", "write"], "created_at": created,
                    "rate_limit": 60, "key_prefix": .string(String(text.prefix(12))), "last_used": nil,
                ]
            ])
        #expect(try await key(bench, scopes: ["read"])["rate_limit"] == .null)
        #expect(try await key(bench, scopes: ["read"])["key"] != key(bench, scopes: ["read"])["key"])
    }

    @Test("A key allows exactly its scopes, also after a restart, and nothing once it is revoked")
    func scopes() async throws {
        let first = try SessionsBench()
        let reader = try await key(first, scopes: ["read"])
        let writer = try await key(first, scopes: ["write"])
        let both = try await key(first, scopes: ["read", "write", "read"])
        let bench = try SessionsBench(on: first.disk, clock: first.clock)
        for (key, reads, writes) in [(reader, 200, 403), (writer, 403, 422), (both, 200, 422)] {
            #expect(try await status(bench, .get, "/api/v1/sessions", by: key) == reads)
            #expect(try await status(bench, .post, "/api/v1/events", by: key) == writes)
        }
        let id = try #require(both["id"]?.string)
        let revoked = try await bench.call(.delete, "\(Self.path)/\(id)", isFromLoopback: true)
        #expect(revoked == .statusOK)
        #expect(try await status(bench, .get, "/api/v1/sessions", by: both) == 401)
        #expect(try await status(bench, .get, "/api/v1/sessions", by: reader) == 200)
        let left = try await keys(bench).map { $0["id"] }
        #expect(Set(left) == [reader["id"], writer["id"]])
        for unknown in [id, "no-such-key", "a%2Fb", ".."] {
            let answer = try await bench.call(.delete, "\(Self.path)/\(unknown)", isFromLoopback: true)
            #expect(answer == SessionsBench.error(.notFound, "not_found", "API key not found"))
        }
    }

    @Test("A key is stored only as its digest")
    func digests() async throws {
        let bench = try SessionsBench()
        let text = try #require(try await key(bench, scopes: ["read"])["key"]?.string)
        #expect(try await status(bench, .get, "/api/v1/ping", by: ["key": .string(text)]) == 200)
        let documents = try await bench.documents(in: "sessionKeys")
        let document = try #require(documents.first)
        #expect(document["digest"]?.string == SHA256.hexadecimal(of: text))
        #expect(!"\(documents)".contains(text.dropFirst(12)) && !bench.log.lines.contains { $0.contains(text) })
    }

    @Test("Only the master key manages keys, and only from the gateway's own machine")
    func whoMay() async throws {
        let bench = try SessionsBench()
        let made = try await key(bench, scopes: ["read", "write"])
        let calls: [(HTTPRequest.Method, String)] = [
            (.post, Self.path), (.get, Self.path), (.delete, "\(Self.path)/\(made["id"]?.string ?? "")"),
        ]
        for (method, path) in calls {
            let remote = try await bench.call(method, path, text: "{")
            #expect(
                remote
                    == SessionsBench.error(
                        .forbidden, "forbidden",
                        "This endpoint only answers requests from the gateway's own machine"))
            for key in [SessionsBench.bothKey, made["key"]?.string ?? ""] {
                let answer = try await bench.call(
                    method, path, text: "{", headers: SessionsBench.authorization(key), isFromLoopback: true)
                #expect(answer == Self.forbidden)
            }
            let stranger = try await bench.call(
                method, path, headers: SessionsBench.authorization("wrong"), isFromLoopback: true)
            #expect(stranger.status == .unauthorized)
        }
        #expect(try await keys(bench).count == 1)
        let elsewhere = try await bench.call(.put, Self.path, isFromLoopback: true)
        #expect(elsewhere == SessionsBench.error(.notFound, "not_found", "there is nothing here"))
    }

    @Test(
        "An invalid request for a key is answered with its reason",
        arguments: [
            ("[]", "the body must be a JSON object"), (#"{"scopes":["read"]}"#, "name is required"),
            (#"{"name":" ","scopes":["read"]}"#, "name is required"),
            (#"{"name":"a"}"#, #"scopes must be a list of "read", "write" or both"#),
            (#"{"name":"a","scopes":[]}"#, #"scopes must be a list of "read", "write" or both"#),
            (#"{"name":"a","scopes":"read"}"#, #"scopes must be a list of "read", "write" or both"#),
            (#"{"name":"a","scopes":["read","admin"]}"#, #"scopes must be a list of "read", "write" or both"#),
            (#"{"name":"a","scopes":["read",1]}"#, #"scopes must be a list of "read", "write" or both"#),
            (#"{"name":"a","scopes":["read"],"rate_limit":0}"#, "rate_limit must be a whole number, 1 or more"),
            (#"{"name":"a","scopes":["read"],"rate_limit":"9"}"#, "rate_limit must be a whole number, 1 or more"),
        ])
    func badRequests(body: String, message: String) async throws {
        let bench = try SessionsBench()
        let answer = try await bench.call(.post, Self.path, text: body, isFromLoopback: true)
        #expect(answer == SessionsBench.badRequest(message))
        #expect(try await keys(bench).isEmpty)
    }

    @Test("A key's rate limit counts its requests per minute over all endpoints")
    func rateLimit() async throws {
        let bench = try SessionsBench()
        let limited = try await key(bench, scopes: ["read", "write"], limit: 3)
        let other = try await key(bench, scopes: ["read"], limit: 3)
        let free = try await key(bench, scopes: ["read"])
        bench.clock.advance(by: .seconds(60 - bench.clock.timestamp.seconds % 60 + 10))
        for path in ["/api/v1/ping", "/api/v1/sessions"] {
            #expect(try await status(bench, .get, path, by: limited) == 200)
        }
        #expect(try await status(bench, .post, "/api/v1/events", by: limited) == 422)
        let headers = SessionsBench.authorization(limited["key"]?.string ?? "")
        let refused = try await bench.call(.get, "/api/v1/ping", headers: headers)
        #expect(refused.status == .tooManyRequests && refused.headerFields[.retryAfter] == "50")
        #expect(
            refused.body == [
                "error": "rate_limited", "message": "Too many requests: this API key may make 3 a minute",
            ])
        #expect(try await status(bench, .get, "/api/v1/ping", by: other) == 200)
        for _ in 0..<20 { #expect(try await status(bench, .get, "/api/v1/ping", by: free) == 200) }
        bench.clock.advance(by: .seconds(50))
        #expect(try await status(bench, .get, "/api/v1/ping", by: limited) == 200)
    }

    @Test("The last use of a key is stored once per minute at most, and a failing store does not fail requests")
    func lastUse() async throws {
        let bench = try SessionsBench()
        let made = try await key(bench, scopes: ["read"])
        func stored() async throws -> JSONValue? { try await keys(bench).first?["last_used"] }
        let first = bench.clock.timestamp
        for _ in 0..<3 { #expect(try await status(bench, .get, "/api/v1/ping", by: made) == 200) }
        bench.clock.advance(by: .seconds(59))
        #expect(try await status(bench, .get, "/api/v1/ping", by: made) == 200)
        #expect(try await stored() == .string(first.description))
        bench.clock.advance(by: .seconds(1))
        bench.store.set { $0.beforeCommit = { _ throws(StoreError) in throw .diskFull } }
        #expect(try await status(bench, .get, "/api/v1/ping", by: made) == 200)
        #expect(try await stored() == .string(first.description))
        bench.store.set { $0.beforeCommit = { _ in } }
        #expect(try await status(bench, .get, "/api/v1/ping", by: made) == 200)
        #expect(try await stored() == .string(first.adding(.seconds(60)).description))
    }

    @Test("A wrong key in the right form counts as a failed attempt")
    func guesses() async throws {
        let bench = try SessionsBench()
        _ = try await key(bench, scopes: ["read"])
        let guess: JSONValue = ["key": .string("claud_" + String(repeating: "0", count: 32))]
        for _ in 0..<10 { #expect(try await status(bench, .get, "/api/v1/ping", by: guess) == 401) }
        #expect(try await status(bench, .get, "/api/v1/ping", by: guess) == 429)
    }
}
