import Testing

@testable import HTTP2Client

@Suite("Hosts without a proxy")
struct NoProxyListTests {
    @Test(
        "An entry of NO_PROXY covers the same hosts as with curl",
        arguments: [
            ("example.com", "example.com", true), ("example.com", "www.example.com", true),
            ("example.com", "nonexample.com", false), ("example.com", "example.com.evil", false),
            (".example.com", "www.example.com", true), (".example.com", "example.com", true),
            ("EXAMPLE.com", "www.Example.Com", true), ("example.com.", "example.com", true),
            ("example.com", "example.com.", true), ("www.example.com", "example.com", false),
            ("localhost,127.0.0.1,::1", "localhost", true), ("localhost,127.0.0.1,::1", "127.0.0.1", true),
            ("localhost,127.0.0.1,::1", "::1", true), ("localhost,127.0.0.1,::1", "127.0.0.2", false),
            ("localhost", "127.0.0.1", false), ("127.0.0.1", "localhost", false),
            ("10.0.0.0/8", "10.1.2.3", true), ("10.0.0.0/8", "11.1.2.3", false), ("10.0.0.0/8", "10.example", false),
            ("192.168.1.128/25", "192.168.1.200", true), ("192.168.1.128/25", "192.168.1.100", false),
            ("fe80::/10", "fe80::1", true), ("fe80::/10", "fec0::1", false), ("2001:DB8::1", "2001:db8:0::1", true),
            ("::ffff:10.0.0.1", "::ffff:10.0.0.1", true), ("::ffff:10.0.0.0/104", "::ffff:10.1.2.3", true),
            ("10.0.0.0/33", "10.0.0.0", false), ("10.0.0.0/x", "10.0.0.0", false), ("::/0", "10.0.0.1", false),
            ("1.2.3.4", "1.2.3.4.example", false), ("0.1", "127.0.0.1", false),
            ("*", "example.com", true), ("*", "::1", true), ("a,*", "example.com", false), ("*.com", "a.com", false),
            ("a.example b.example", "b.example", true), (" , a.example ,, b.example,", "x.b.example", true),
            ("", "example.com", false), (".", "example.com", false), (",", "", false),
        ])
    func entry(list: String, host: String, isCovered: Bool) {
        #expect(NoProxyList(list).covers(host) == isCovered)
    }

    @Test("A proxy rule gives the proxy for every server except the listed hosts")
    func rule() throws {
        let proxy = try HTTPProxy("http://proxy:3128")
        let rule = ProxyRule(proxy, except: NoProxyList("127.0.0.0/8,apple.com"))
        #expect(rule.proxy(for: HTTP2Origin(host: "api.push.example")) == proxy)
        #expect(rule.proxy(for: HTTP2Origin(host: "api.push.apple.com")) == nil)
        #expect(rule.proxy(for: HTTP2Origin(host: "127.0.0.1", port: 2_197)) == nil)
        #expect(ProxyRule.direct.proxy(for: HTTP2Origin(host: "127.0.0.1")) == nil)
    }
}
