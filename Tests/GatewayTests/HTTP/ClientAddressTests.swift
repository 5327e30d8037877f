import HTTPTypes
import Testing

@testable import Gateway

@Suite("Address of a client", .timeLimit(.minutes(1)))
struct ClientAddressTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let proxies: [String]
        let peer: String?
        let forwardedFor: [String]
        let client: String?

        var testDescription: String { "\(peer ?? "-") ← \(forwardedFor) with \(proxies)" }
    }

    static let cases = [
        // No proxy is trusted: the header does not count.
        Case(proxies: [], peer: "192.0.2.1", forwardedFor: [], client: "192.0.2.1"),
        Case(proxies: [], peer: "192.0.2.1", forwardedFor: ["203.0.113.5"], client: "192.0.2.1"),
        Case(proxies: ["10.0.0.0/8"], peer: "192.0.2.1", forwardedFor: ["203.0.113.5"], client: "192.0.2.1"),
        // The peer is trusted: the nearest address that is no trusted proxy counts.
        Case(proxies: ["10.0.0.0/8"], peer: "10.0.0.1", forwardedFor: [], client: "10.0.0.1"),
        Case(proxies: ["10.0.0.0/8"], peer: "10.0.0.1", forwardedFor: ["203.0.113.5"], client: "203.0.113.5"),
        Case(
            proxies: ["10.0.0.0/8"], peer: "10.0.0.1", forwardedFor: ["198.51.100.9, 203.0.113.5"],
            client: "203.0.113.5"),
        Case(
            proxies: ["10.0.0.0/8"], peer: "10.0.0.1", forwardedFor: ["198.51.100.9, 203.0.113.5,10.0.0.2"],
            client: "203.0.113.5"),
        Case(
            proxies: ["10.0.0.0/8"], peer: "10.0.0.1", forwardedFor: ["198.51.100.9", "203.0.113.5", "10.0.0.2"],
            client: "203.0.113.5"),
        Case(proxies: ["10.0.0.0/8"], peer: "10.0.0.1", forwardedFor: ["10.0.0.3, 10.0.0.2"], client: "10.0.0.3"),
        Case(proxies: ["::1", "10.0.0.0/8"], peer: "::1", forwardedFor: ["2001:db8::5"], client: "2001:db8::5"),
        Case(proxies: ["127.0.0.1"], peer: "::ffff:127.0.0.1", forwardedFor: ["192.0.2.7"], client: "192.0.2.7"),
        // A text that is no address ends the search.
        Case(proxies: ["10.0.0.0/8"], peer: "10.0.0.1", forwardedFor: ["unknown"], client: "10.0.0.1"),
        Case(
            proxies: ["10.0.0.0/8"], peer: "10.0.0.1", forwardedFor: ["203.0.113.5, evil, 10.0.0.2"], client: "10.0.0.2"
        ),
        Case(proxies: ["10.0.0.0/8"], peer: "10.0.0.1", forwardedFor: ["", ","], client: "10.0.0.1"),
        Case(proxies: ["10.0.0.0/8"], peer: nil, forwardedFor: ["203.0.113.5"], client: nil),
    ]

    @Test("The client's address is the peer's, or the nearest one behind trusted proxies", arguments: cases)
    func client(of test: Case) {
        let address = ClientAddress(trustedProxies: test.proxies.compactMap(AddressRange.init))
        let client = address.client(peer: test.peer.flatMap(IPAddress.init), forwardedFor: test.forwardedFor)
        #expect(client == test.client.flatMap(IPAddress.init))
    }

    // MARK: Loopback

    private func isFromLoopback(_ peer: String?, _ fields: [(String, String)] = []) throws -> Bool {
        let address = ClientAddress(
            trustedProxies: ["127.0.0.2", "10.0.0.0/8"].compactMap(AddressRange.init),
            localPeers: ["172.18.0.1"].compactMap(AddressRange.init))
        var headerFields: HTTPFields = [:]
        for (name, value) in fields {
            headerFields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        return address.isFromLoopback(peer: peer.flatMap(IPAddress.init), headerFields: headerFields)
    }

    @Test("A request is local if its peer is a loopback or a local address, and no proxy forwarded it")
    func loopback() throws {
        for peer in ["127.0.0.1", "127.0.0.2", "127.9.9.9", "::1", "::ffff:127.0.0.1", "172.18.0.1"] {
            #expect(try isFromLoopback(peer), "\(peer)")
            for field in [
                ("Forwarded", "for=192.0.2.1"), ("forwarded", ""), ("X-Forwarded-For", "192.0.2.1"),
                ("X-Forwarded-Host", "a"), ("x-forwarded-proto", "https"),
            ] {
                #expect(try !isFromLoopback(peer, [field]), "\(peer) \(field)")
            }
            #expect(try isFromLoopback(peer, [("X-Forwardedness", "a"), ("Via", "a")]))
        }
        for peer in [nil, "192.0.2.1", "10.0.0.1", "172.18.0.2", "::2", "0.0.0.0"] {
            #expect(try !isFromLoopback(peer), "\(peer ?? "-")")
        }
    }

    @Test("A request through trusted proxies is local only if they report a loopback address")
    func loopbackBehindProxies() throws {
        for (peer, forwardedFor, isLocal) in [
            ("127.0.0.2", "127.0.0.1", true), ("10.0.0.1", "::1", true), ("10.0.0.1", "127.0.0.1, 10.0.0.2", true),
            ("10.0.0.1", "192.0.2.1, 127.0.0.1", true), ("10.0.0.1", "127.0.0.1, 192.0.2.1", false),
            ("10.0.0.1", "192.0.2.1, 127.0.0.2", false), ("10.0.0.1", "evil, 127.0.0.2", false),
            ("10.0.0.1", "evil", false), ("10.0.0.1", "", false), ("127.0.0.2", "", false),
            // These peers are no trusted proxies.
            ("127.0.0.1", "127.0.0.1", false), ("192.0.2.1", "127.0.0.1", false), ("172.18.0.1", "127.0.0.1", false),
            // A local peer is local by its connection only, not by a header.
            ("10.0.0.1", "172.18.0.1", false),
        ] {
            #expect(
                try isFromLoopback(peer, [("X-Forwarded-For", forwardedFor)]) == isLocal, "\(peer) \(forwardedFor)")
        }
        #expect(try isFromLoopback("10.0.0.1", [("X-Forwarded-For", "127.0.0.1"), ("X-Forwarded-Proto", "https")]))
        #expect(try !isFromLoopback("127.0.0.2", [("Forwarded", "for=127.0.0.1")]))
    }
}
