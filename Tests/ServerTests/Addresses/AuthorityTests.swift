import Testing

@testable import Server

@Suite("Hosts, ports and origins", .timeLimit(.minutes(10)))
struct AuthorityTests {
    @Test(
        "An authority has a normalized host, and a port if the text has one",
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
        "A text that is no authority gives nil",
        arguments: [
            "", ".", ":80", "a:b", "a:65536", "a:123456", "a:-1", "a:+1", "a b", "a/b", "a?b", "a@b", "a\"b", "a..:1:2",
            "::1", "[::1", "[]", "[]:80", "[a.b.g]", "[::1]80", "[::1%25eth0]", "ä.example", "a\r\n", "*",
        ])
    func noAuthority(text: String) { #expect(Authority(text) == nil) }

    @Test("An origin has a scheme and a port, and any other text gives nil")
    func origin() throws {
        for (text, description, port) in [
            ("https://push.example.com", "https://push.example.com", 443),
            ("HTTP://LocalHost:8080", "http://localhost:8080", 8_080), ("http://[::1]:80", "http://[::1]", 80),
        ] {
            let origin = try #require(WebOrigin(text))
            #expect(origin.description == description && origin.port == port)
        }
        for text in [
            "null", "", "push.example.com", "https://", "https://a/", "https://a/b", "file://a", "https:a",
            "capacitor://localhost", "https://a, https://b", "https://user@a", "http://a:99999",
        ] {
            #expect(WebOrigin(text) == nil, "\(text)")
        }
    }
}
