import Functions
import JSON
import TestDoubles
import Testing

@Suite("Author's relay: its name", .timeLimit(.minutes(10)))
struct RelayHostTests {
    @Test(
        "The host in addresses has one spelling, in small letters, without a dot at its end and the port of HTTPS",
        arguments: [
            ("https://Push.Example.COM", "push.example.com"), ("https://push.example.com.", "push.example.com"),
            ("https://push.example.com:443", "push.example.com"), ("https://push.example.com./a", "push.example.com"),
            ("https://push.example.com.:8443/a/b", "push.example.com:8443"),
            ("https://[FD00::443]", "[fd00::443]"), ("https://[fd00::1]:8443", "[fd00::1]:8443"),
            ("https://xn--mnchen-3ya.example", "xn--mnchen-3ya.example"),
        ])
    func spelledHost(publicURL: String, host: String) async throws {
        let address = try await RelayApp(at: RelayBench(publicURL: publicURL)).address()
        #expect(address.hasPrefix("relay:\(host)/"), "\(address)")
        var app = try RelayApp(at: RelayBench(publicURL: nil))
        app.origin = publicURL
        #expect(try await app.address().hasPrefix("relay:\(host)/"))
    }

    @Test(
        "A public address whose host gateways cannot read is refused at the start",
        arguments: ["münchen.example", "."])
    func unreadableHost(host: String) {
        let error = #expect(throws: (any Error).self) { try RelayBench(publicURL: "https://\(host)") }
        #expect(error.map { "\($0)" }?.hasPrefix("http.publicUrl: has a host") == true)
    }

    @Test("A relay with another name: apps that call it by a former one keep their address, others get the new name")
    func formerHost() async throws {
        let bench = try RelayBench { $0.formerHosts = [RelayHost("former.example.org")].compactMap(\.self) }
        var app = try RelayApp(at: bench)
        app.origin = "https://Former.example.org:443"
        let address = try await app.address()
        #expect(address.hasPrefix("relay:former.example.org/"))
        let secret = try await app.secret(of: address)
        let sender = RelaySender(bench: bench, address: address, secret: secret.text)
        #expect(try await sender.send() == .relayAccepted)
        for origin in ["https://\(RelayBench.host)", "https://stranger.example.net", nil] {
            app.origin = origin
            let other = try await app.address()
            #expect(other == address.replacing("former.example.org", with: RelayBench.host))
            #expect(try await app.show(other).body["secrets"]?.array?.count == 1)
        }
        #expect(try await sender.send(id: "n-2") == .relayAccepted)
    }

    @Test("A relay that does not know its name takes that of the request, and refuses one without")
    func namelessRelay() async throws {
        var app = try RelayApp(at: RelayBench(publicURL: nil))
        #expect(try await app.register().word == "400 invalid")
        app.origin = "http://127.0.0.1:8080"
        #expect(try await app.address().hasPrefix("relay:127.0.0.1:8080/"))
    }
}
