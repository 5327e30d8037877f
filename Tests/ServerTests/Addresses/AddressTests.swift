import Testing

@testable import Server

@Suite("Addresses and address ranges", .timeLimit(.minutes(10)))
struct AddressTests {
    @Test(
        "An address range contains the addresses with its prefix, and no other",
        arguments: [
            ("10.0.0.0/8", "10.255.1.2", true), ("10.0.0.0/8", "11.0.0.1", false),
            ("10.0.0.0/9", "10.127.255.255", true), ("10.0.0.0/9", "10.128.0.0", false),
            ("192.168.1.7", "192.168.1.7", true), ("192.168.1.7", "192.168.1.8", false),
            ("192.168.1.7/32", "192.168.1.7", true), ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "::1", false),
            ("::/0", "2001:db8::1", true), ("::/0", "10.0.0.1", false), ("::1", "::1", true), ("::1", "::2", false),
            ("2001:db8::/33", "2001:db8:7fff::1", true), ("2001:db8::/33", "2001:db8:8000::1", false),
            ("10.0.0.0/8", "::ffff:10.1.2.3", true), ("172.16.0.0/12", "172.31.9.9", true),
            ("172.16.0.0/12", "172.32.0.0", false),
        ])
    func contains(range: String, address: String, isContained: Bool) throws {
        let range = try #require(AddressRange(range))
        #expect(range.contains(try #require(IPAddress(address))) == isContained)
    }

    @Test(
        "A text that is neither an address nor a range gives nil",
        arguments: [
            "", "/", "10.0.0.0/", "/8", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0/8", "::1/129",
            "localhost",
            "10.0.0.0/x", "1.2.3.4.5",
        ])
    func refused(text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test("An IPv4 address in IPv6 form equals the IPv4 address")
    func mapped() {
        #expect(IPAddress("::ffff:192.0.2.1") == IPAddress("192.0.2.1"))
        #expect(IPAddress("192.0.2.1")?.bytes == [192, 0, 2, 1])
        #expect(IPAddress("::1")?.bytes == Array(repeating: 0, count: 15) + [1])
        #expect(IPAddress("example.com") == nil)
    }

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
