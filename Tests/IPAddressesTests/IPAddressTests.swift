import IPAddresses
import Testing

@Suite("Addresses and address ranges")
struct IPAddressTests {
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
            ("172.16.0.0/12", "172.32.0.0", false), ("::ffff:10.0.0.0/8", "10.1.2.3", true),
            ("::ffff:10.0.0.0/104", "10.1.2.3", true), ("::ffff:10.0.0.0/104", "11.1.2.3", false),
            ("::ffff:0:0/96", "203.0.113.9", true), ("::ffff:0:0/96", "::1", false),
        ])
    func contains(range: String, address: String, isContained: Bool) throws {
        let range = try #require(AddressRange(range))
        #expect(range.contains(try #require(IPAddress(address))) == isContained)
    }

    @Test(
        "A text that is neither an address nor a range gives nil",
        arguments: [
            "", "/", "10.0.0.0/", "/8", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0/8", "::1/129",
            "localhost", "10.0.0.0/x", "1.2.3.4.5", "::ffff:10.0.0.0/33", "::ffff:10.0.0.0/95",
            "::ffff:10.0.0.0/129", "10.0.0.0/104",
        ])
    func refused(text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test("An IPv4 address in IPv6 form equals the IPv4 address")
    func mapped() {
        #expect(IPAddress("::ffff:192.0.2.1") == IPAddress("192.0.2.1"))
        #expect(IPAddress("192.0.2.1")?.bytes == [192, 0, 2, 1])
        #expect(IPAddress("::1")?.bytes == Array(repeating: 0, count: 15) + [1])
        #expect(
            IPAddress(bytes: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 10, 0, 0, 1]) == IPAddress("10.0.0.1"))
    }

    @Test(
        "A text in another form than an address gives nil",
        arguments: [
            "", "example.com", "127.1", "1.2.3", "1.2.3.256", "1.2.3.4.", "1.2.3.4 ", "fe80::1%eth0", "127.0.0.1\0",
            "127.0.0.1\0.example.com", "::1\0", "[::1]", "1::2::3", "12345::", "0x7f000001", "2130706433",
            "\u{661}.1.1.1",
        ])
    func noAddress(text: String) { #expect(IPAddress(text) == nil) }

    @Test(
        "All spellings of an address have one canonical spelling",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("::FFFF:c000:201", "192.0.2.1"),
            ("2001:0DB8:0:0:0:0:0:1", "2001:db8::1"), ("2001:db8::0001", "2001:db8::1"), ("::", "::"),
            ("0:0:0:0:0:0:0:1", "::1"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
        ])
    func canonicalText(text: String, canonical: String) throws {
        #expect(try #require(IPAddress(text)).canonicalText == canonical)
        #expect(IPAddress(canonical) == IPAddress(text))
    }

    @Test("Any number of bytes but 4 and 16 gives nil", arguments: [0, 3, 5, 15, 17])
    func noAddress(count: Int) { #expect(IPAddress(bytes: [UInt8](repeating: 1, count: count)) == nil) }

    @Test("A loopback host is a name or address of this machine, and no other host is")
    func loopback() {
        for host in ["localhost", "127.0.0.1", "127.255.0.3", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1"] {
            #expect(IPAddress.isLoopback(host: host), "\(host)")
        }
        for host in [
            "", "0.0.0.0", "::", "10.0.0.1", "128.0.0.1", "::2", "127.0.0.1.example", "localhost.example", "127.1",
        ] {
            #expect(!IPAddress.isLoopback(host: host), "\(host)")
        }
    }

    @Test("The host of a URL is a loopback host with brackets and without them")
    func loopbackInURL() {
        for host in ["localhost", "127.0.0.1", "::1", "[::1]"] {
            #expect(IPAddress.isLoopback(urlHost: host), "\(host)")
        }
        for host in ["", "[]", "[::2]", "push.example.com"] {
            #expect(!IPAddress.isLoopback(urlHost: host), "\(host)")
        }
        #expect(!IPAddress.isLoopback(host: "[::1]"))
    }
}
