import IPAddresses
import Testing

@testable import Server

@Suite("The networks by which limits count clients", .timeLimit(.minutes(10)))
struct ClientNetworkTests {
    @Test(
        "Limits count an IPv4 client by address and an IPv6 client by its /64 network",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"), ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
            ("2001:db8::1", "2001:db8::/64"), ("::1", "::/64"), ("2001:0:0:a0::1", "2001:0:0:a0::/64"),
        ])
    func limitKey(address: String, key: String) {
        #expect(IPAddress(address)?.limitKey == key)
    }

    @Test(
        "The wider networks of a client are a /24 and a /16 of IPv4, or a /48 and a /32 of IPv6",
        arguments: [
            ("192.0.2.1", ["192.0.2.0/24", "192.0.0.0/16"]),
            ("2001:db8:1:2::9", ["2001:db8:1::/48", "2001:db8::/32"]),
        ])
    func widerNetworks(address: String, networks: [String]) {
        #expect(IPAddress(address)?.widerNetworks == networks)
    }
}
