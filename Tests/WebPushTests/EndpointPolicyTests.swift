import IPAddresses
import Messaging
import Testing
import WebPush

@Suite("Rules for the servers of endpoints")
struct EndpointPolicyTests {
    /// Addresses by the words of their refusal. `IPAddresses` has the tests of each range.
    private static let refused: [(words: String, addresses: [String])] = [
        ("this machine", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::1"]),
        (
            "a private network",
            ["10.0.0.1", "172.16.0.1", "192.168.1.1", "fd00::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::"]
        ),
        ("the network of a provider", ["100.64.0.1", "64:ff9b::100.64.0.1"]),
        ("a link-local address", ["169.254.1.1", "fe80::1", "::ffff:169.254.1.1"]),
        (
            "the metadata service of a cloud",
            ["169.254.169.254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::", "fd00:ec2::254"]
        ),
        ("no host", ["0.0.0.0", "::", "::ffff:0.0.0.0"]),
        ("a multicast group", ["224.0.0.1", "ff02::1"]),
        ("an address for documentation", ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1"]),
        (
            "a reserved address",
            ["240.0.0.1", "255.255.255.255", "64:ff9b:1::a00:1", "::a00:1", "198.18.0.1", "fec0::1"]
        ),
    ]

    @Test("A connection to an address that is not on the internet is refused", arguments: refused)
    func notPublic(words: String, addresses: [String]) throws {
        for text in addresses {
            let address = try #require(IPAddress(text), "\(text)")
            #expect(EndpointPolicy().refusal(of: address, for: "push.example") == words, "\(text)")
        }
    }

    @Test("A connection to an address on the internet is allowed", arguments: ["17.188.143.34", "2606:4700::1111"])
    func publicAddresses(text: String) throws {
        #expect(EndpointPolicy().refusal(of: try #require(IPAddress(text)), for: "push.example") == nil)
    }

    @Test(
        "A host that the operator has named may have a private address, others not",
        arguments: [
            ("ntfy.home.example", "ntfy.home.example", true), ("ntfy.home.example", "NTFY.home.example", false),
            ("ntfy.home.example", "x.ntfy.home.example", false), ("NTFY.Home.Example", "ntfy.home.example", true),
            ("*.home.example", "ntfy.home.example", true), ("*.home.example", "a.b.home.example", true),
            ("*.home.example", "home.example", false), ("*.home.example", "evilhome.example", false),
            ("ntfy.home.example:8443", "ntfy.home.example", true), ("192.168.1.5", "192.168.1.5", true),
            ("192.168.1.5", "192.168.1.6", false), ("[fd00::1]:8443", "fd00::1", true),
            ("localhost", "localhost", true),
        ])
    func allowed(entry: String, host: String, isAllowed: Bool) throws {
        let policy = EndpointPolicy(allowedHosts: [try #require(AllowedHost(entry))])
        for text in ["127.0.0.1", "192.168.1.5", "fd00::1", "100.64.0.1", "169.254.1.1"] {
            #expect((policy.refusal(of: try #require(IPAddress(text)), for: host) == nil) == isAllowed, "\(text)")
        }
    }

    @Test(
        "An address that no push service has is refused for a host that the operator has named too",
        arguments: ["169.254.169.254", "fd00:ec2::254", "64:ff9b::a9fe:a9fe", "0.0.0.0", "::", "224.0.0.1", "ff02::1"])
    func neverAllowed(text: String) throws {
        let policy = EndpointPolicy(allowedHosts: [try #require(AllowedHost("ntfy.home.example"))])
        #expect(policy.refusal(of: try #require(IPAddress(text)), for: "ntfy.home.example") != nil)
    }

    @Test(
        "A text that is no host is no entry of the list",
        arguments: [
            "", "*", "*.", "*.*.example", "a*.example", "https://a.example", "a.example/", "a.example/path",
            "a.example?", "user@a.example", "a.example:", "a.example:x", "a b", "127.1", "*.127.0.0.1", "10.0.0.0/8",
            "::1", "*.[::1]",
        ])
    func noEntries(text: String) {
        #expect(AllowedHost(text) == nil)
    }

    @Test("An endpoint has the standard port, one of the list, or the one that is named with its host")
    func ports() throws {
        let policy = EndpointPolicy(
            allowedHosts: [try #require(AllowedHost("ntfy.home.example:8443"))], ports: [443, 2_197])
        for url in ["https://a.example/", "https://a.example:2197/", "https://ntfy.home.example:8443/up"] {
            #expect(throws: Never.self) { try policy.check(WebPushEndpoint(url)) }
        }
        for url in ["https://a.example:8443/", "https://a.example:22/", "https://ntfy.home.example:22/"] {
            #expect(throws: SubscriptionError.self) { try policy.check(WebPushEndpoint(url)) }
        }
        let endpoint = try WebPushEndpoint("https://a.example:22/")
        let error = #expect(throws: SubscriptionError.self) { try policy.check(endpoint) }
        #expect(error?.description == "endpoint must have an allowed port (443, 2197), and has 22")
    }

    @Test("A name of the local network is refused without a look-up, unless the operator has named it")
    func localNames() throws {
        let policy = EndpointPolicy(allowedHosts: [try #require(AllowedHost("ntfy"))])
        #expect(throws: Never.self) { try policy.check(WebPushEndpoint("https://ntfy/up")) }
        for url in ["https://router/up", "https://localhost/up"] {
            #expect(throws: SubscriptionError.self) { try policy.check(WebPushEndpoint(url)) }
        }
        let endpoint = try WebPushEndpoint("https://ntfy/up")
        let error = #expect(throws: SubscriptionError.self) { try EndpointPolicy().check(endpoint) }
        #expect(error?.description == "endpoint must have a host that is known on the internet, and has ntfy")
    }

    @Test("An endpoint with an address in place of a name is checked before any connection")
    func literals() throws {
        let policy = EndpointPolicy(allowedHosts: [try #require(AllowedHost("192.168.1.5"))])
        for url in ["https://8.8.8.8/", "https://192.168.1.5/", "https://[2606:4700::1111]/"] {
            #expect(throws: Never.self) { try policy.check(WebPushEndpoint(url)) }
        }
        for url in ["https://192.168.1.6/", "https://169.254.169.254/latest", "https://[::ffff:7f00:1]/"] {
            #expect(throws: SubscriptionError.self) { try policy.check(WebPushEndpoint(url)) }
        }
        let error = #expect(throws: SubscriptionError.self) { try policy.check(WebPushEndpoint("https://[::1]/")) }
        #expect(error?.description == "endpoint must lead to a public address, and leads to this machine")
    }
}
