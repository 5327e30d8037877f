import TestSupport
import Testing

@Suite("Requests with Upgrade", .timeLimit(.minutes(10)))
struct UpgradeTests {
    private static let health = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
    /// The header fields that Java's client sends with its first request.
    private static let fields =
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAAAAYABgAA\r\n"

    private static func get(_ fields: String = fields) -> String { "GET /healthz HTTP/1.1\r\nHost: a\r\n\(fields)\r\n" }

    private static func post(_ body: String) -> String {
        "POST /registerSubscription HTTP/1.1\r\nHost: a\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private static func chunked(_ body: String) -> String {
        "POST /registerSubscription HTTP/1.1\r\nHost: a\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n"
            + "\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\nX-Trailer: 1\r\n\r\n"
    }

    private func statuses(_ steps: [RawExchange.Step], count: Int) async throws -> [Int] {
        try await withGateway { gateway in
            await RawExchange(steps, answers: count).run(port: gateway.port).answers.map(\.status)
        }
    }

    @Test("A request with Upgrade is answered, and the connection goes on")
    func next() async throws {
        let pause = RawExchange.Step.pause(.milliseconds(100))
        let steps = [Self.get(), Self.post("{}"), Self.health, Self.get()]
            .flatMap { [RawExchange.Step.send(Array($0.utf8)), pause] }
        #expect(try await statuses(steps, count: 4) == [200, 401, 200, 200])
    }

    @Test(
        "A request with Upgrade may be followed by pipelined requests",
        arguments: [
            (get() + health, [200, 200]), (health + get() + health, [200, 200, 200]),
            (post("{}") + health, [401, 200]), (post("\r\n\r\n\n") + get() + health, [401, 200, 200]),
            (chunked("{}") + health, [401, 200]), (chunked("a\r\n\r\nb") + chunked("{}") + health, [401, 401, 200]),
            (post("GET /healthz HTTP/1.1\r\nHost: b\r\nUpgrade: x\r\n\r\n") + health, [401, 200]),
        ])
    func pipelined(text: String, expected: [Int]) async throws {
        #expect(try await statuses([.send(Array(text.utf8))], count: expected.count) == expected)
    }

    @Test("A request with Upgrade may arrive byte by byte")
    func bytes() async throws {
        let text = Self.get() + Self.post("{}\r\n\r\n") + Self.chunked("{}") + Self.health
        let steps = text.utf8.flatMap { [RawExchange.Step.send([$0]), .pause(.microseconds(200))] }
        #expect(try await statuses(steps, count: 4) == [200, 401, 401, 200])
    }

    @Test(
        "A request may have Upgrade and Connection fields of any form",
        arguments: [
            "Upgrade: websocket\r\nConnection: upgrade\r\n", "UPGRADE: x\r\nCONNECTION: keep-alive , UPGRADE\r\n",
            "Upgrade: x\r\n", "Connection: Upgrade\r\n", "Upgrade:\r\nConnection: upgrade\r\n",
            "Connection: upgrade\r\nUpgrade: x\r\nUpgrade: y\r\n", "X: upgrade\r\n",
        ])
    func forms(fields: String) async throws {
        let text = Self.get(fields) + Self.get(fields) + Self.health
        #expect(try await statuses([.send(Array(text.utf8))], count: 3) == [200, 200, 200])
    }

    @Test("Upgrade is ignored over TLS and through the proxy", arguments: [false, true])
    func tls(isProxy: Bool) async throws {
        try await withFCMAddresses { _, addresses in
            let connection = try await TLSConnection.open(
                port: isProxy ? addresses.proxyPort : addresses.tlsPort, isProxy: isProxy, trusting: addresses.caFile)
            for text in [Self.get(), Self.get(), Self.health] {
                #expect(try await connection.exchange(text).status == 200)
            }
            try await connection.close()
        }
    }
}
