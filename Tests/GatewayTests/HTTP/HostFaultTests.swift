import JSON
import NIOHTTP1
import TestSupport
import Testing

@testable import Gateway

@Suite("Host header field", .timeLimit(.minutes(10)))
struct HostFaultTests {
    private func fault(_ hosts: [String], _ version: HTTPVersion = .http1_1) -> HostFault? {
        let headers = HTTPHeaders(hosts.map { ("hOsT", $0) } + [("Hosts", "a b")])
        return HostFault(of: HTTPRequestHead(version: version, method: .GET, uri: "/", headers: headers))
    }

    @Test(
        "A Host that is a name or an address, with or without a port, is valid",
        arguments: [
            "a", "example.com", "example.com:8080", "127.0.0.1:80", "[::1]", "[::1]:443", "[::ffff:127.0.0.1]:1", "",
            "a_b", "xn--nxasmq6b", "a%20b", "a:", "a!$&'()*+,;=~", "a ",
        ])
    func good(host: String) { #expect(fault([host]) == nil) }

    @Test(
        "A Host with any other text is malformed",
        arguments: [
            "a b", "a/b", "http://a", "user@a", "a:b", "a:123456", "a:80:80", "a%2", "a%zz", "[::1", "::1", "[]",
            "[::1]x",
            "[g::]", "a\u{7F}", "é", "a?b", "a#b", "a\\b", "\"a\"", "<a>",
        ])
    func bad(host: String) { #expect(fault([host]) == .malformed) }

    @Test("HTTP/1.1 needs exactly one Host, and HTTP/1.0 at most one")
    func count() {
        #expect(fault([]) == .missing)
        #expect(fault(["a", "a"]) == .repeated)
        #expect(fault([], .http1_0) == nil)
        #expect(fault(["a", "b"], .http1_0) == .repeated)
    }

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
