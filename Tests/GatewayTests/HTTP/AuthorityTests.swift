import Testing

@testable import Gateway

@Suite("Hosts, ports and origins", .timeLimit(.minutes(1)))
struct AuthorityTests {
    @Test(
        "an authority has a host in its plain form, and a port if it says one",
        arguments: [
            ("push.example.com", "push.example.com", nil), ("Push.Example.COM.:8443", "push.example.com", 8_443),
            ("localhost:", "localhost", nil), ("127.0.0.1:65535", "127.0.0.1", 65_535), ("[::1]", "::1", nil),
            ("[2001:DB8::1]:80", "2001:db8::1", 80), ("[::ffff:127.0.0.1]:1", "::ffff:127.0.0.1", 1),
            ("my_service:080", "my_service", 80),
        ] as [(String, String, Int?)])
    func authority(text: String, host: String, port: Int?) throws {
        let authority = try #require(Authority(text))
        #expect(authority.host == host && authority.port == port)
        #expect(Authority(authority.description) == authority)
    }

    @Test(
        "what is no authority is nil",
        arguments: [
            "", ".", ":80", "a:b", "a:65536", "a:123456", "a:-1", "a:+1", "a b", "a/b", "a?b", "a@b", "a\"b", "a..:1:2",
            "::1", "[::1", "[]", "[]:80", "[a.b.g]", "[::1]80", "[::1%25eth0]", "ä.example", "a\r\n", "*",
        ])
    func noAuthority(text: String) { #expect(Authority(text) == nil) }

    @Test("this machine has names and addresses of its own")
    func loopback() {
        for host in ["localhost", "127.0.0.1", "127.255.0.3", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1"] {
            #expect(IPAddress.isLoopback(host: host), "\(host)")
        }
        for host in [
            "", "0.0.0.0", "::", "10.0.0.1", "128.0.0.1", "::2", "127.0.0.1.example", "localhost.example", "127.1",
        ] {
            #expect(!IPAddress.isLoopback(host: host), "\(host)")
        }
    }
}
