import HTTPTypes
import JSON
import TestSupport
import Testing

@Suite("Rate limits", .timeLimit(.minutes(10)))
struct RateLimitTests {
    private static let prefix = "functions.codeagents."

    @Test("Requests above a secret's limit are refused with a Retry-After, and other secrets go on")
    func perSecret() async throws {
        try await withGateway([Self.prefix + "requestsPerMinutePerSecret": "5"]) { gateway in
            let (busy, quiet) = (Daemon(gateway.caller), Daemon(gateway.caller))
            var answers: [Answer] = []
            // A minute may end in between and reset the count; 11 requests in a row exceed 5 before or after that.
            for _ in 0..<11 { answers.append(try await busy.trigger()) }
            let refused = answers.filter { $0.status == 429 }
            #expect(!refused.isEmpty)
            #expect(refused.allSatisfy { $0.code == "rate_limited" })
            let seconds = refused.compactMap { $0.headerFields[.retryAfter].flatMap { Int($0) } }
            #expect(seconds.count == refused.count && seconds.allSatisfy { (1...60).contains($0) })
            #expect(try await quiet.trigger().status == 200)
        }
    }

    @Test("Requests above an address's limit are refused, with any secret")
    func perAddress() async throws {
        try await withGateway([Self.prefix + "requestsPerMinutePerAddress": "5"]) { gateway in
            var statuses: [Int] = []
            for _ in 0..<11 { statuses.append(try await Daemon(gateway.caller).trigger().status) }
            #expect(statuses.contains(429))
            #expect(statuses.prefix(5).allSatisfy { $0 == 200 })
        }
    }

    @Test("New servers above an address's limit are refused and not stored, and known servers go on")
    func newServers() async throws {
        try await withGateway([Self.prefix + "newServersPerHourPerAddress": "2"]) { gateway in
            let known = Daemon(gateway.caller)
            #expect(try await known.register("phone", token: "emulated:1").status == 200)
            var refused = 0
            for _ in 0..<5 {
                let answer = try await Daemon(gateway.caller).register("phone", token: "emulated:1")
                if answer.status == 429 { refused += 1 }
            }
            #expect(refused >= 1)
            let servers = try await gateway.ask("/v1/projects/pushgate/databases/(default)/documents/servers")
            #expect(servers.body["documents"]?.array?.count == 6 - refused)
            #expect(try await known.register("phone-2", token: "emulated:2").status == 200)
        }
    }

    @Test("Clients behind a trusted proxy are limited one by one")
    func trustedProxy() async throws {
        let settings = [Self.prefix + "requestsPerMinutePerAddress": "1", "http.trustedProxies": "127.0.0.1"]
        try await withGateway(settings) { gateway in
            let forwarded = try #require(HTTPField.Name("X-Forwarded-For"))
            for client in ["192.0.2.1", "192.0.2.2", "192.0.2.3"] {
                let answer = try await gateway.caller.call(
                    "triggerReplyFinished", ["cwd": "/srv"], secret: .randomSecret(),
                    headerFields: [forwarded: client])
                #expect(answer.status == 200)
            }
        }
    }
}
