import HTTP2Client
import Messaging
import Synchronization
import TestDoubles
import Testing

@testable import WebPush

/// Hosts that strangers name, and what they may try.
@Suite("Hosts that strangers name", .timeLimit(.minutes(10)))
struct HostileHostTests {
    private static let host = "push.pushgate.dev"
    private static let endpoint = "https://\(host)/x"

    @Test(
        "A host with an address that is not on the internet gets no connection",
        arguments: [
            "push.localhost", "localhost", "127.0.0.1", "169.254.1.1", "169.254.169.254", "[fe80::1]",
            "[::ffff:a9fe:101]",
        ])
    func privateAddress(host: String) async throws {
        let server = try await PushServiceStandIn(names: ["localhost", "push.localhost"])
        let ports: Set<Int> = [server.port]
        let bench = try TransportBench(trusting: server, policy: { EndpointPolicy(ports: ports) })
        let outcome = try await bench.send(to: Browser("https://\(host):\(server.port)/x"))
        if host == "push.localhost" {
            // A host without a connection has the same code, so that no client learns which names are private here.
            #expect(outcome == .failed(Failure(code: .serverUnavailable, reason: "AddressNotAllowed")))
        } else {
            #expect(outcome == .rejected(Rejection(code: .mismatchedCredential, reason: "EndpointNotAllowed")))
        }
        #expect(server.record.connections == 0)
        await server.stop()
    }

    @Test("A host that the operator names with its port may have a private address")
    func allowedHost() async throws {
        let server = try await PushServiceStandIn(names: ["localhost"])
        let allowed = try #require(AllowedHost("localhost:\(server.port)"))
        let bench = try TransportBench(trusting: server, policy: { EndpointPolicy(allowedHosts: [allowed]) })
        #expect(try await bench.send(to: Browser("https://localhost:\(server.port)/x")) == .accepted)
        #expect(server.record.connections == 1)
        await server.stop()
    }

    @Test("A host whose address is another one at the next connection gains nothing")
    func rebinding() async throws {
        let server = try await PushServiceStandIn(names: ["push.localhost"], protocols: ["http/1.1"]) { _ in
            PushServiceStandIn.Reply(fields: [("connection", "close")])
        }
        // The address is taken for a public one at first, and then for what it is.
        let isPublic = Mutex(true)
        let allowed = try #require(AllowedHost("push.localhost"))
        let ports: Set<Int> = [server.port]
        let bench = try TransportBench(
            trusting: server,
            policy: { EndpointPolicy(allowedHosts: isPublic.withLock { $0 } ? [allowed] : [], ports: ports) })
        let browser = try Browser("https://push.localhost:\(server.port)/x")
        #expect(try await bench.send(to: browser) == .accepted)
        isPublic.withLock { $0 = false }
        let second = try await bench.send(to: browser)
        #expect(second == .failed(Failure(code: .serverUnavailable, reason: "AddressNotAllowed")))
        #expect(server.received.count == 1 && server.record.connections == 1)
        await server.stop()
    }

    @Test("After a change of the rules no message uses a connection that the former ones allowed")
    func changedRules() async throws {
        let server = try await PushServiceStandIn(names: ["push.localhost"])
        let allowed = try #require(AllowedHost("push.localhost"))
        let ports: Set<Int> = [server.port]
        let isAllowed = Mutex(true)
        let bench = try TransportBench(
            trusting: server,
            policy: { EndpointPolicy(allowedHosts: isAllowed.withLock { $0 } ? [allowed] : [], ports: ports) })
        let browser = try Browser("https://push.localhost:\(server.port)/x")
        for _ in 0..<2 { #expect(try await bench.send(to: browser) == .accepted) }
        #expect(server.record.connections == 1)
        isAllowed.withLock { $0 = false }
        bench.client.rulesHaveChanged()
        #expect(TransportBench.reason(try await bench.send(to: browser)) == "AddressNotAllowed")
        #expect(server.received.count == 2)
        await server.stop()
    }

    @Test("A port that is not in the list gets no connection")
    func port() async throws {
        let server = try await PushServiceStandIn(names: [Self.host])
        let bench = try TransportBench(trusting: server, for: [Self.host])
        let outcome = try await bench.send(to: Browser("https://\(Self.host):8443/x"))
        #expect(TransportBench.reason(outcome) == "EndpointNotAllowed")
        #expect(server.record.connections == 0)
        await server.stop()
    }

    @Test("A redirect is not followed", arguments: [301, 302, 303, 307, 308])
    func redirect(status: Int) async throws {
        let inside = try await PushServiceStandIn(names: ["localhost"])
        let location = "https://localhost:\(inside.port)/latest/meta-data/"
        let server = try await PushServiceStandIn(names: [Self.host, "web.push.apple.com"]) { _ in
            PushServiceStandIn.Reply(status: status, fields: [("location", location)])
        }
        let bench = try TransportBench(trusting: server, for: [Self.host, "web.push.apple.com"])
        for endpoint in [Self.endpoint, "https://web.push.apple.com/x"] {
            let outcome = try await bench.send(to: Browser(endpoint))
            #expect(TransportBench.reason(outcome) == "Redirected")
        }
        #expect(inside.record.connections == 0)
        await server.stop()
        await inside.stop()
    }

    @Test(
        "A body without an end is cut off, and the status before it counts",
        arguments: [(host, ["h2", "http/1.1"]), (host, ["http/1.1"]), ("web.push.apple.com", ["h2"])])
    func endlessBody(host: String, protocols: [String]) async throws {
        let server = try await PushServiceStandIn(names: [host], protocols: protocols) { request in
            PushServiceStandIn.Reply(status: request.path == "/gone" ? 410 : 201, isEndless: true)
        }
        let bench = try TransportBench(trusting: server, for: [host])
        #expect(try await bench.send(to: Browser("https://\(host)/x")) == .accepted)
        #expect(TransportBench.reason(try await bench.send(to: Browser("https://\(host)/gone"))) == "HTTP410")
        #expect(try await bench.send(to: Browser("https://\(host)/x")) == .accepted)
        await server.stop()
    }

    @Test("A head that is too long is no answer, and its host rests", arguments: [["h2", "http/1.1"], ["http/1.1"]])
    func longHead(protocols: [String]) async throws {
        let field = ("x-long", String(repeating: "x", count: 1_024))
        let server = try await PushServiceStandIn(names: [Self.host], protocols: protocols) { request in
            PushServiceStandIn.Reply(fields: Array(repeating: field, count: request.path == "/short" ? 15 : 17))
        }
        let bench = try TransportBench(trusting: server, for: [Self.host])
        #expect(try await bench.send(to: Browser("https://\(Self.host)/short")) == .accepted)
        let outcome = try await bench.send(to: Browser("https://\(Self.host)/long"))
        #expect(outcome == .failed(Failure(code: .serverUnavailable, reason: "responseTooLarge")))
        #expect(TransportBench.reason(try await bench.send(to: Browser(Self.endpoint))) == "HostResting")
        await server.stop()
    }

    @Test("A host that never answers fails at the time limit, rests, and delays no other host")
    func silentHost() async throws {
        let names = [Self.host, "other.example.org", "web.push.apple.com"]
        let server = try await PushServiceStandIn(names: names) { request in
            request.value("host") == Self.host ? .silent : .accepted
        }
        let bench = try TransportBench(trusting: server, for: names, sharedDeadline: .seconds(5))
        let browser = try Browser(Self.endpoint)
        async let slow = bench.send(to: browser)
        try await eventually("the silent host has its request") { server.received.count == 1 }
        #expect(try await bench.send(to: Browser("https://other.example.org/x")) == .accepted)
        #expect(try await bench.send(to: Browser("https://web.push.apple.com/x")) == .accepted)
        #expect(try await slow == .failed(Failure(code: .serverUnavailable, reason: "timedOut")))
        #expect(TransportBench.reason(try await bench.send(to: browser)) == "HostResting")
        #expect(try await bench.send(to: Browser("https://other.example.org/x")) == .accepted)
        await server.stop()
    }

    @Test("A host that answers too late rests, and its answer counts; a known service never rests")
    func lateAnswer() async throws {
        let names = [Self.host, "web.push.apple.com"]
        let server = try await PushServiceStandIn(names: names)
        let bench = try TransportBench(trusting: server, for: names, slowAnswer: .zero)
        #expect(try await bench.send(to: Browser(Self.endpoint)) == .accepted)
        #expect(TransportBench.reason(try await bench.send(to: Browser(Self.endpoint))) == "HostResting")
        for _ in 0..<2 { #expect(try await bench.send(to: Browser("https://web.push.apple.com/x")) == .accepted) }
        #expect(server.received.count == 3)
        await server.stop()
    }

    @Test("Hosts of one domain rest together, but for a host that the operator has named")
    func domain() async throws {
        let names = ["a.evil.example", "b.evil.example", "own.evil.example", "evil.test.example"]
        let server = try await PushServiceStandIn(names: names) { request in
            request.value("host") == "a.evil.example" ? .silent : .accepted
        }
        let own = try #require(AllowedHost("own.evil.example"))
        let bench = try TransportBench(
            trusting: server, for: names, policy: { EndpointPolicy(allowedHosts: [own]) }, sharedDeadline: .seconds(5))
        #expect(TransportBench.reason(try await bench.send(to: Browser("https://a.evil.example/x"))) == "timedOut")
        for host in ["a.evil.example", "b.evil.example"] {
            #expect(TransportBench.reason(try await bench.send(to: Browser("https://\(host)/x"))) == "HostResting")
        }
        for host in ["own.evil.example", "evil.test.example"] {
            #expect(try await bench.send(to: Browser("https://\(host)/x")) == .accepted)
        }
        await server.stop()
    }

    @Test("A host that has used its share of a lane waits for its turn, and another one of the lane does not")
    func share() async throws {
        let hosts = (0..<10_000).map { "push.host\($0).example" }
        let other = try #require(hosts.first { HostLane.name(of: $0) == HostLane.name(of: Self.host) })
        let server = try await PushServiceStandIn(names: [Self.host, other])
        let time = Mutex(Duration.zero)
        let bench = try TransportBench(trusting: server, for: [Self.host, other], uptime: { time.withLock { $0 } })
        // Four messages at once took three seconds each.
        bench.transport.shares.withLock { shares in
            let turns = (0..<4).map { _ in shares.begin(HostLane.domain(of: Self.host), at: .zero) }
            for case .now(let use) in turns { shares.end(use, at: .seconds(3)) }
        }
        time.withLock { $0 = .seconds(3) }
        let expected = Failure(
            code: .serverUnavailable, reason: "HostBusy", retryAfter: .seconds(3), isAttempt: false)
        #expect(try await bench.send(to: Browser(Self.endpoint)) == .failed(expected))
        #expect(server.record.connections == 0)
        #expect(try await bench.send(to: Browser("https://\(other)/x")) == .accepted)
        time.withLock { $0 = .seconds(6) }
        #expect(try await bench.send(to: Browser(Self.endpoint)) == .accepted)
        await server.stop()
    }

    @Test("Servers that the operator has named have shares of their own, also on one machine")
    func sharesOfNamedServers() async throws {
        let servers = [
            try await PushServiceStandIn(names: ["localhost"]), try await PushServiceStandIn(names: ["localhost"]),
        ]
        let allowed = try servers.map { try #require(AllowedHost("localhost:\($0.port)")) }
        let bench = try TransportBench(
            trusting: servers[1], policy: { EndpointPolicy(allowedHosts: allowed) }, uptime: { .seconds(3) })
        bench.transport.shares.withLock { shares in
            let turns = (0..<4).map { _ in shares.begin("https://localhost:\(servers[0].port)", at: .zero) }
            for case .now(let use) in turns { shares.end(use, at: .seconds(3)) }
        }
        let slow = try await bench.send(to: Browser("https://localhost:\(servers[0].port)/x"))
        #expect(TransportBench.reason(slow) == "HostBusy")
        #expect(try await bench.send(to: Browser("https://localhost:\(servers[1].port)/x")) == .accepted)
        for server in servers { await server.stop() }
    }

    @Test("A certificate that is not trusted, or of another name, gets no message")
    func certificate() async throws {
        let trusted = try await PushServiceStandIn(names: [Self.host])
        let other = try await PushServiceStandIn(names: ["other.example.org"])
        let origin = HTTP2Origin(host: "127.0.0.1", port: other.port)
        let bench = try TransportBench(trusting: trusted, [Self.host: origin, "web.push.apple.com": origin])
        for endpoint in [Self.endpoint, "https://web.push.apple.com/x"] {
            let outcome = try await bench.send(to: Browser(endpoint))
            #expect(TransportBench.reason(outcome) == "tls")
        }
        #expect(other.received.isEmpty)

        let named = HTTP2Origin(host: "127.0.0.1", port: trusted.port)
        let byName = try TransportBench(trusting: trusted, ["a.example.org": named, "web.push.apple.com": named])
        for endpoint in ["https://a.example.org/x", "https://web.push.apple.com/x"] {
            let outcome = try await byName.send(to: Browser(endpoint))
            #expect(TransportBench.reason(outcome) == "tls")
        }
        #expect(trusted.received.isEmpty)
        await trusted.stop()
        await other.stop()
    }
}
