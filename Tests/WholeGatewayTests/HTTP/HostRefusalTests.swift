import JSON
import TestSupport
import Testing

@Suite("Refusals of Host header fields", .timeLimit(.minutes(10)))
struct HostRefusalTests {
    @Test(
        "A missing, repeated or malformed Host is refused with a reason, and the connection is closed",
        arguments: [("", "no Host"), ("Host: a\r\nHost: a\r\n", "more than one"), ("Host: a b\r\n", "not a name")])
    func refusal(fields: String, words: String) async throws {
        try await withGateway { gateway in
            let health = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
            let text = health + "POST /healthz HTTP/1.1\r\n\(fields)Content-Length: 2\r\n\r\n{}" + health
            let outcome = await RawExchange([.send(Array(text.utf8))], answers: 3).run(port: gateway.port)
            #expect(outcome.answers.map(\.status) == [200, 400])
            #expect(outcome.ending == .closed)
            let refusal = try #require(outcome.answers.last)
            #expect(refusal.headers["connection"] == "close")
            #expect(refusal.json?["error"]?["status"] == "INVALID_ARGUMENT")
            #expect(refusal.json?["error"]?["message"]?.string?.contains(words) == true)
        }
    }

    @Test("A missing Host is refused over TLS and through the proxy", arguments: [false, true])
    func tls(isProxy: Bool) async throws {
        try await withFCMAddresses { _, addresses in
            let connection = try await TLSConnection.open(
                port: isProxy ? addresses.proxyPort : addresses.tlsPort, isProxy: isProxy, trusting: addresses.caFile)
            #expect(try await connection.exchange("GET /healthz HTTP/1.1\r\n\r\n").status == 400)
            try await connection.closed()
        }
    }
}
