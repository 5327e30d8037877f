import TestSupport
import Testing

@Suite("HTTP/1.1 connections", .timeLimit(.minutes(10)))
struct ConnectionTests {
    private static let health = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"

    private static func post(_ length: Int, _ body: String, _ more: String = "") -> String {
        "POST /registerSubscription HTTP/1.1\r\nHost: a\r\n\(more)Content-Length: \(length)\r\n\r\n\(body)"
    }

    private func answers(
        _ text: String, count: Int, settings: [String: String] = [:], isHead: Bool = false
    ) async throws -> RawOutcome {
        try await withGateway(settings) { gateway in
            await RawExchange([.send(Array(text.utf8))], answers: count, isHead: isHead).run(port: gateway.port)
        }
    }

    @Test("An HTTP/1.1 connection stays open after an error")
    func keepAlive() async throws {
        let outcome = try await answers(Self.post(2, "{}") + Self.health + Self.post(3, "abc") + Self.health, count: 4)
        #expect(outcome.answers.map(\.status) == [401, 200, 401, 200])
        #expect(outcome.ending == .answered)
    }

    @Test("The bytes of a body that is too large are never read as requests")
    func smuggling() async throws {
        let body = String(repeating: Self.health, count: 600)
        let outcome = try await answers(Self.post(body.utf8.count, body) + Self.health, count: 3)
        #expect(outcome.answers.first?.code == "payload_too_large")
        #expect(outcome.answers.dropFirst().allSatisfy { $0.status == 200 })
        #expect(outcome.answers.count <= 2)
    }

    @Test("HEAD is answered without a body, so the next answer follows in its place")
    func head() async throws {
        let head = "HEAD /registerSubscription HTTP/1.1\r\nHost: a\r\n\r\n"
        let outcome = try await answers(head + head, count: 2, isHead: true)
        #expect(outcome.answers.map(\.status) == [405, 405])
    }

    @Test("An HTTP/1.1 connection is closed after the answer to Connection: close")
    func connectionClose() async throws {
        let outcome = try await answers(Self.post(2, "{}", "Connection: close\r\n"), count: 2)
        #expect(outcome.answers.map(\.status) == [401])
        #expect(outcome.ending == .closed)
    }

    @Test("A request that breaks HTTP is answered with 400, and its connection is closed")
    func broken() async throws {
        let outcome = try await answers("POST /registerSubscription HTTP/1.1\r\nbroken\r\n\r\n", count: 2)
        #expect(outcome.answers.map(\.status) == [400])
        #expect(outcome.ending == .closed)
    }

    @Test(
        "A connection whose client stops in the middle of a request is closed after the time limit",
        arguments: [
            "P", "POST /registerSubscription HTTP/1.1\r\nHo", Self.post(10, "abc"),
            Self.post(10, "", "Expect: 100-continue\r\n"),
        ])
    func stalled(text: String) async throws {
        let outcome = try await answers(text, count: 2, settings: ["http.requestTimeout": "300ms"])
        #expect(outcome.ending == .closed)
        #expect(outcome.answers.allSatisfy { $0.status == 400 })
    }

    @Test("An idle connection stays open for longer than the time limit of a request")
    func idle() async throws {
        let outcome = try await withGateway(["http.requestTimeout": "200ms"]) { gateway in
            let health = Array(Self.health.utf8)
            return await RawExchange([.send(health), .pause(.milliseconds(600)), .send(health)], answers: 2)
                .run(port: gateway.port)
        }
        #expect(outcome.answers.map(\.status) == [200, 200])
    }

    @Test("A connection without a request for http.idleTimeout is closed")
    func idleTimeout() async throws {
        let outcome = try await answers(Self.health, count: 2, settings: ["http.idleTimeout": "1s"])
        #expect(outcome.answers.map(\.status) == [200])
        #expect(outcome.ending == .closed)
    }
}
