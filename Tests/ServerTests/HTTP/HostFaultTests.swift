import NIOHTTP1
import Testing

@testable import Server

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
}
