import Testing

@testable import Server

@Suite("Origin policy", .timeLimit(.minutes(10)))
struct OriginPolicyTests {
    private typealias Request = OriginPolicy.Request

    private func policy(_ names: String..., loopbackOnly: Bool = true) -> OriginPolicy {
        OriginPolicy(names: names.compactMap { GatewayName($0) }, listensOnLoopbackOnly: loopbackOnly)
    }

    private func refusal(_ policy: OriginPolicy, _ authority: String?, _ origin: String? = nil) -> OriginRefusal? {
        policy.refusal(of: Request(authority: authority, origin: origin))
    }

    @Test("The origin policy accepts names of loopback with any port and spelling")
    func loopback() {
        for host in ["localhost", "LOCALHOST.:8080", "127.0.0.1:1", "127.1.2.3", "[::1]", "[0:0:0:0:0:0:0:1]:8080"] {
            #expect(refusal(policy(), host) == nil, "\(host)")
        }
        // HTTP/1.0 needs no Host, and every browser sends one.
        #expect(refusal(policy(), nil) == nil && refusal(policy(), "") == nil)
    }

    @Test("The origin policy refuses every other host name and invalid texts")
    func foreignHost() {
        for host in ["evil.example", "localhost.evil.example:8080", "10.0.0.1", "0.0.0.0", "[::2]", "127.0.0.1.nip.io"]
        {
            #expect(refusal(policy(), host) == .host(Authority(host)), "\(host)")
        }
        for host in ["a b", "http://localhost", "localhost@evil.example", "::1"] {
            #expect(refusal(policy(), host) == .host(nil), "\(host)")
        }
    }

    @Test("The origin policy accepts any host if the gateway listens on all addresses, or from a trusted proxy")
    func hostDoesNotCount() {
        #expect(refusal(policy(loopbackOnly: false), "evil.example") == nil)
        #expect(policy().refusal(of: Request(authority: "evil.example", isFromTrustedProxy: true)) == nil)
    }

    @Test("The origin policy accepts a page of the requested address itself")
    func ownOrigin() {
        for (authority, origin) in [
            ("localhost:8080", "http://localhost:8080"), ("127.0.0.1:8080", "http://LOCALHOST:8080"),
            ("[::1]:8443", "https://[::1]:8443"), ("localhost", "http://localhost"),
            ("localhost:443", "https://localhost"),
        ] {
            #expect(refusal(policy(), authority, origin) == nil, "\(authority) \(origin)")
        }
    }

    @Test("The origin policy refuses pages of other sites and other local programs, and null origins")
    func foreignOrigin() {
        for origin in [
            "https://evil.example", "http://localhost:3000", "http://localhost", "https://localhost:8080.evil.example",
            "null", "", "file://", "http://localhost:8080, http://localhost:8080", "http://127.0.0.1:8080/",
        ] {
            #expect(refusal(policy(), "localhost:8080", origin) == .page(WebOrigin(origin)), "\(origin)")
            #expect(refusal(policy(loopbackOnly: false), "localhost:8080", origin) != nil, "\(origin)")
        }
        // To the browser a page with a rebound name has the same origin as the request.
        let rebound = Request(authority: "evil.example", origin: "http://evil.example", isFromTrustedProxy: true)
        #expect(policy().refusal(of: rebound) == .page(WebOrigin("http://evil.example")))
    }

    @Test("The origin policy accepts configured names, and their pages at the ports that they can have")
    func names() {
        let policy = policy("Push.example.com", "b.example:8443", "https://c.example", "[2001:db8::1]")
        for (authority, origin, isTaken) in [
            ("push.example.com:8080", nil, true), ("push.example.com.", "https://push.example.com", true),
            ("push.example.com:8080", "http://push.example.com:8080", true),
            ("push.example.com:8080", "http://push.example.com:8081", false), ("b.example", nil, true),
            ("b.example", "https://b.example:8443", true), ("b.example", "http://b.example:8443", true),
            ("b.example", "https://b.example", false), ("localhost", "https://c.example", true),
            ("localhost", "http://c.example", false), ("c.example", nil, true), ("[2001:DB8::1]:8080", nil, true),
            ("d.example", nil, false), ("a.push.example.com", nil, false),
        ] as [(String, String?, Bool)] {
            #expect((refusal(policy, authority, origin) == nil) == isTaken, "\(authority) \(origin ?? "")")
        }
    }

    @Test("The origin policy accepts the hosts of a listener only for the requests to it")
    func listenerHosts() {
        let hosts = ["fcm.googleapis.com", "oauth2.googleapis.com"]
        for host in hosts {
            #expect(policy().refusal(of: Request(authority: host + ":443", listenerHosts: hosts)) == nil)
            #expect(refusal(policy(), host) == .host(Authority(host)))
        }
        let page = Request(
            authority: "fcm.googleapis.com", origin: "https://fcm.googleapis.com", listenerHosts: hosts)
        #expect(policy().refusal(of: page) == nil)
        #expect(policy().refusal(of: Request(authority: "accounts.google.com", listenerHosts: hosts)) != nil)
    }

    @Test("The origin policy refuses background requests that Sec-Fetch-Site marks as cross-site")
    func fetchMetadata() {
        for (site, destination, isTaken) in [
            ("cross-site", "image", false), ("cross-site", nil, false), ("cross-site", "iframe", false),
            ("cross-site", "document", true), ("same-origin", "empty", true), ("same-site", "empty", true),
            ("none", "document", true),
        ] as [(String, String?, Bool)] {
            let request = Request(authority: "localhost", fetchSite: site, fetchDestination: destination)
            #expect((policy().refusal(of: request) == nil) == isTaken, "\(site) \(destination ?? "")")
        }
        let named = Request(authority: "localhost", origin: "https://a.example", fetchSite: "cross-site")
        #expect(policy("a.example").refusal(of: named) == nil)
    }
}
