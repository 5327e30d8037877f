import Messaging
import Testing
import WebPush

@Suite("Endpoints")
struct WebPushEndpointTests {
    @Test(
        "An endpoint has the host, the port and the path of its URL, and the origin of RFC 6454",
        arguments: [
            Example("https://push.apple.com/Q", "push.apple.com", 443, "/Q", "https://push.apple.com"),
            Example("https://a.example", "a.example", 443, "/", "https://a.example"),
            Example("https://a.example?x=1/2", "a.example", 443, "/?x=1/2", "https://a.example"),
            Example("https://a.example:443/p", "a.example", 443, "/p", "https://a.example"),
            Example("https://a.example:8443/p?q=:@", "a.example", 8443, "/p?q=:@", "https://a.example:8443"),
            Example("HTTPS://A.Example/Path", "a.example", 443, "/Path", "https://a.example"),
            Example("https://192.0.2.7:5000/x", "192.0.2.7", 5000, "/x", "https://192.0.2.7:5000"),
            Example("https://[2001:DB8::1]/x", "2001:db8::1", 443, "/x", "https://[2001:db8::1]"),
            Example("https://[2001:db8::1]:444/x", "2001:db8::1", 444, "/x", "https://[2001:db8::1]:444"),
            Example("https://[2001:0db8:0:0::1]/x", "2001:db8::1", 443, "/x", "https://[2001:db8::1]"),
            Example("https://[2001:db8:0:0:1:0:0:1]/x", "2001:db8::1:0:0:1", 443, "/x", "https://[2001:db8::1:0:0:1]"),
            Example("https://[::FFFF:808:808]:444/x", "8.8.8.8", 444, "/x", "https://8.8.8.8:444"),
            Example("https://my_host-1.example/%20", "my_host-1.example", 443, "/%20", "https://my_host-1.example"),
            Example("https://ntfy/up", "ntfy", 443, "/up", "https://ntfy"),
        ])
    func parts(example: Example) throws {
        let endpoint = try WebPushEndpoint(example.url)
        #expect(endpoint.host == example.host)
        #expect(endpoint.port == example.port)
        #expect(endpoint.path == example.path)
        #expect(endpoint.origin == example.origin)
        #expect(endpoint.url == example.origin + example.path)
        #expect(try WebPushEndpoint(endpoint.url) == endpoint)
    }

    private static let refusals: [(String, String)] = [
        ("", scheme), ("http://a.example/", scheme),
        ("//a.example/", scheme), ("ftp://a.example/", scheme),
        ("https:/a.example/", scheme), ("wss://a.example/", scheme),
        ("https://user@a.example/", user),
        ("https://user:pw@a.example/", user),
        ("https://a.example@b.example/", user),
        ("https://a.example/#x", "must have no fragment"),
        ("https://a.example#@b.example", "must have no fragment"),
        ("https://a.example\\@b.example/", ascii),
        ("https://a.example/\r\nx: y", ascii),
        ("https://a.example/ x", ascii),
        (" https://a.example/", ascii),
        ("https://ä.example/", ascii),
        ("https://a.example/ä", ascii),
        ("https://a.example/\0", ascii),
        ("https://", host), ("https:///path", host), ("https://?q", host), ("https://.", host),
        ("https://a..example/", host), ("https://a.example./", host), ("https://-a.example/", host),
        ("https://a%2eexample/", host), ("https://a,b/", host), ("https://127.1/", host),
        ("https://2130706433/", host), ("https://0x7f000001/", host), ("https://0x7f.0.0.1/", host),
        ("https://0177.0.0.1x/", host), ("https://1.2.3.4.5/", host), ("https://256.1.1.1/", host),
        ("https://::1/", host), ("https://[::1/", brackets), ("https://[]/", brackets),
        ("https://[127.0.0.1]/", brackets), ("https://[fe80::1%25eth0]/", brackets), ("https://[::1]x/", brackets),
        ("https://a.example:/", port), ("https://a.example:0/", port), ("https://a.example:65536/", port),
        ("https://a.example:+443/", port), ("https://a.example:4 43/", ascii), ("https://a.example:000443/", port),
        ("https://a.example:99999999999999999999/", port), ("https://a.example:443:443/", host),
    ]

    @Test(
        "A URL that programs read in different ways, or that leads elsewhere than to an HTTPS server, is refused",
        arguments: refusals)
    func refused(url: String, requirement: String) {
        let thrown = #expect(throws: SubscriptionError.self) { try WebPushEndpoint(url) }
        #expect(thrown?.description == "endpoint \(requirement)")
    }

    private static let scheme = "must begin with https://"
    private static let user = "must have no user information"
    private static let ascii = "must be a URL of printable ASCII characters"
    private static let host = "must have the name or the address of a host"
    private static let brackets = "must have an IPv6 address between its brackets"
    private static let port = "must have a port from 1 to 65535"

    @Test("An endpoint of 2,048 bytes is accepted, and a longer one is refused")
    func longest() throws {
        let start = "https://a.example/"
        let url = start + String(repeating: "x", count: 2_048 - start.utf8.count)
        #expect(try WebPushEndpoint(url).url == url)
        let thrown = #expect(throws: SubscriptionError.self) { try WebPushEndpoint(url + "x") }
        #expect(thrown?.description == "endpoint must have at most 2048 bytes")
    }

    @Test("A host has at most 253 bytes, and 63 between two points")
    func hosts() throws {
        let label = String(repeating: "a", count: 63)
        let host = [label, label, label, String(repeating: "a", count: 61)].joined(separator: ".")
        #expect(try WebPushEndpoint("https://\(host)/").host == host)
        #expect(throws: SubscriptionError.self) { try WebPushEndpoint("https://\(host)a/") }
        #expect(throws: SubscriptionError.self) { try WebPushEndpoint("https://\(label)a.example/") }
    }

    struct Example: Sendable {
        let url: String
        let host: String
        let port: Int
        let path: String
        let origin: String

        init(_ url: String, _ host: String, _ port: Int, _ path: String, _ origin: String) {
            self.url = url
            self.host = host
            self.port = port
            self.path = path
            self.origin = origin
        }
    }
}
