import HTTPTypes
import IPAddresses
import TestDoubles
import Testing

@testable import Server

@Suite("Address of a client", .timeLimit(.minutes(10)))
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
    func client(of test: Case) throws {
        let address = ClientAddress(trustedProxies: test.proxies.compactMap { AddressRange($0) })
        let client = address.client(
            peer: test.peer.flatMap { IPAddress($0) },
            headerFields: try Self.fields(test.forwardedFor.map { ("X-Forwarded-For", $0) }))
        #expect(client == test.client.flatMap { IPAddress($0) })
    }

    private static func fields(_ fields: [(String, String)]) throws -> HTTPFields {
        var headerFields: HTTPFields = [:]
        for (name, value) in fields {
            headerFields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        return headerFields
    }

    // MARK: Ports and fields

    /// Returns the client that a trusted proxy names, with the lines of the log.
    private func named(
        _ fields: [(String, String)], in field: ForwardedField = .xForwardedFor
    ) throws -> (client: IPAddress?, lines: [String]) {
        let log = CollectedLog()
        let address = ClientAddress(
            trustedProxies: ["10.0.0.0/8"].compactMap { AddressRange($0) }, field: field,
            log: LimitedLog(linesPerMinute: 1, logger: log.logger))
        let client = address.client(peer: IPAddress("10.0.0.1"), headerFields: try Self.fields(fields))
        return (client, log.lines)
    }

    @Test("An address counts without its brackets and its port, in both fields, without a line in the log")
    func ports() throws {
        for (node, expected) in [
            ("203.0.113.3:50000", "203.0.113.3"), ("203.0.113.3:65535", "203.0.113.3"),
            ("[2001:db8::1]:50000", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"), ("2001:db8::1", "2001:db8::1"), ("203.0.113.3", "203.0.113.3"),
            ("[::ffff:203.0.113.3]:1", "203.0.113.3"), ("203.0.113.3:_hidden", "203.0.113.3"),
        ] {
            for (name, value, field) in [
                ("X-Forwarded-For", "198.51.100.1, \(node)", ForwardedField.xForwardedFor),
                ("Forwarded", "for=198.51.100.1, for=\"\(node)\"", .forwarded),
                ("Forwarded", "for=198.51.100.1;by=x , proto=https; For=\"\(node)\";by=\"a,b;for=1\"", .forwarded),
            ] {
                let (client, lines) = try named([(name, value)], in: field)
                #expect(client == IPAddress(expected), "\(name): \(value)")
                #expect(lines.isEmpty)
            }
        }
        // RFC 7239 §4: quotes are needed for brackets and colons only.
        #expect(try named([("Forwarded", "for=203.0.113.3")], in: .forwarded).client == IPAddress("203.0.113.3"))
    }

    @Test("A text that is no address counts as the proxy that wrote it, and is logged")
    func unreadable() throws {
        for node in [
            "unknown", "_hidden", "203.0.113.3:", "203.0.113.3:x", "203.0.113.3:500000", "203.0.113.3:65536",
            "203.0.113.3:99999", "[2001:db8::1]:70000", "203.0.113.3:+80", "[2001:db8::1",
            "[2001:db8::1]x", "[2001:db8::1]50000", "[]:1", ":1", "203.0.113.256", "fe80::1%eth0", "push.example.com:1",
            "203.0.113.3 1",
        ] {
            let (client, lines) = try named([("X-Forwarded-For", "198.51.100.1, \(node), 10.0.0.2")])
            #expect(client == IPAddress("10.0.0.2"), "\(node)")
            #expect(lines.count == 1 && lines[0].contains("failed to read the client's address"), "\(node)")
        }
        let (client, lines) = try named([("Forwarded", "for=198.51.100.1, proto=https")], in: .forwarded)
        #expect(client == IPAddress("10.0.0.1") && lines.count == 1)
    }

    @Test("Only the field of the setting names the client, and its absence beside the other field is logged")
    func oneField() throws {
        let both = [("X-Forwarded-For", "203.0.113.1"), ("Forwarded", "for=203.0.113.2")]
        #expect(try named(both).client == IPAddress("203.0.113.1"))
        #expect(try named(both, in: .forwarded).client == IPAddress("203.0.113.2"))
        for (field, other) in [(ForwardedField.forwarded, both[0]), (.xForwardedFor, both[1])] {
            let (client, lines) = try named([other], in: field)
            #expect(client == IPAddress("10.0.0.1"))
            #expect(lines.count == 1 && lines[0].contains("found no client in http.forwardedField"))
        }
        #expect(try named([]).lines.isEmpty)
    }

    @Test("Unreadable addresses leave one line a minute, and the next line has the number of the others")
    func logBound() throws {
        let (clock, log) = (ManualClock(), CollectedLog())
        let address = ClientAddress(
            trustedProxies: ["10.0.0.0/8"].compactMap { AddressRange($0) },
            log: LimitedLog(linesPerMinute: 1, now: { clock.seconds }, logger: log.logger))
        let fields = try Self.fields([("X-Forwarded-For", "evil")])
        for _ in 0..<100 { _ = address.client(peer: IPAddress("10.0.0.1"), headerFields: fields) }
        #expect(log.lines.count == 1)
        clock.advance(by: .seconds(60))
        for _ in 0..<100 { _ = address.client(peer: IPAddress("10.0.0.1"), headerFields: fields) }
        #expect(log.lines.count == 2 && log.lines[1].contains(#""omitted": "#) && log.lines[1].contains("99"))
        // Peers that are not trusted name nobody, so they cannot write to the log either.
        clock.advance(by: .seconds(60))
        #expect(address.client(peer: IPAddress("192.0.2.1"), headerFields: fields) == IPAddress("192.0.2.1"))
        #expect(log.lines.count == 2)
    }

    // MARK: Loopback

    private func isFromLoopback(_ peer: String?, _ fields: [(String, String)] = []) throws -> Bool {
        let address = ClientAddress(
            trustedProxies: ["127.0.0.2", "10.0.0.0/8"].compactMap { AddressRange($0) },
            localPeers: ["172.18.0.1"].compactMap { AddressRange($0) })
        return address.isFromLoopback(peer: peer.flatMap { IPAddress($0) }, headerFields: try Self.fields(fields))
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
