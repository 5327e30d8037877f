import Testing

@testable import Gateway

@Suite("Whom a request comes from", .timeLimit(.minutes(1)))
struct ClientAddressTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let proxies: [String]
        let peer: String?
        let forwardedFor: [String]
        let client: String?

        var testDescription: String { "\(peer ?? "-") ← \(forwardedFor) with \(proxies)" }
    }

    static let cases = [
        // Nobody is trusted: the header is hearsay.
        Case(proxies: [], peer: "192.0.2.1", forwardedFor: [], client: "192.0.2.1"),
        Case(proxies: [], peer: "192.0.2.1", forwardedFor: ["203.0.113.5"], client: "192.0.2.1"),
        Case(proxies: ["10.0.0.0/8"], peer: "192.0.2.1", forwardedFor: ["203.0.113.5"], client: "192.0.2.1"),
        // A trusted peer: the nearest address that is not one.
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
        // What is no address ends the search.
        Case(proxies: ["10.0.0.0/8"], peer: "10.0.0.1", forwardedFor: ["unknown"], client: "10.0.0.1"),
        Case(
            proxies: ["10.0.0.0/8"], peer: "10.0.0.1", forwardedFor: ["203.0.113.5, evil, 10.0.0.2"], client: "10.0.0.2"
        ),
        Case(proxies: ["10.0.0.0/8"], peer: "10.0.0.1", forwardedFor: ["", ","], client: "10.0.0.1"),
        Case(proxies: ["10.0.0.0/8"], peer: nil, forwardedFor: ["203.0.113.5"], client: nil),
    ]

    @Test("is the peer, or who stands behind the proxies that are trusted", arguments: cases)
    func client(of test: Case) {
        let address = ClientAddress(trustedProxies: test.proxies.compactMap(AddressRange.init))
        let client = address.client(peer: test.peer.flatMap(IPAddress.init), forwardedFor: test.forwardedFor)
        #expect(client == test.client.flatMap(IPAddress.init))
    }
}
