import IPAddresses
import Testing

@Suite("Uses of addresses")
struct AddressUseTests {
    /// Addresses at the ends of each range.
    static let addresses: [(use: IPAddress.Use, addresses: [String])] = [
        (
            .public,
            [
                "1.1.1.1", "9.255.255.255", "11.0.0.0", "17.188.143.34", "100.63.255.255", "100.128.0.0",
                "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
                "192.0.1.0", "192.0.3.0", "192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0",
                "198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0",
                "223.255.255.255", "168.63.129.15", "2001:200::", "2001:db7:ffff::1", "2001:db9::", "2606:4700::1111",
                "3ffe:ffff::1", "3fff:1000::", "2000::", "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            ]
        ),
        (.unspecified, ["0.0.0.0", "0.255.255.255", "::"]),
        (.loopback, ["127.0.0.1", "127.255.255.255", "::1"]),
        (
            .metadata,
            [
                "169.254.169.254", "169.254.170.2", "100.100.100.200", "192.0.0.192", "168.63.129.16", "fd00:ec2::254",
                "fd20:ce::254",
            ]
        ),
        (.linkLocal, ["169.254.0.0", "169.254.169.253", "169.254.255.255", "fe80::", "fe80::1", "febf:ffff::"]),
        (
            .private,
            ["10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255"]
        ),
        (.shared, ["100.64.0.0", "100.127.255.255"]),
        (.uniqueLocal, ["fc00::", "fd00::1", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"]),
        (.multicast, ["224.0.0.1", "239.255.255.255", "ff00::", "ff02::1"]),
        (
            .documentation,
            [
                "192.0.2.0", "192.0.2.255", "198.51.100.7", "203.0.113.255", "2001:db8::", "2001:db8:ffff::1", "3fff::",
                "3fff:fff::1",
            ]
        ),
        (
            .reserved,
            [
                "192.0.0.0", "192.0.0.255", "192.88.99.1", "198.18.0.0", "198.19.255.255", "240.0.0.0",
                "255.255.255.255", "2001::1", "2001:1ff::", "::2", "::7f00:1", "::ffff:0:7f00:1", "64:ff9b:1::a00:1",
                "100::1", "1fff::", "4000::", "5f00::1", "fbff::", "fe00::", "fec0::1",
            ]
        ),
    ]

    @Test("An address has the use of its range, and only hosts on the internet are public", arguments: addresses)
    func use(_ use: IPAddress.Use, addresses: [String]) throws {
        for text in addresses {
            let address = try #require(IPAddress(text), "\(text)")
            #expect(address.use == use, "\(text)")
            #expect(address.isPublic == (use == .public), "\(text)")
        }
    }

    @Test("The table of the test has each use")
    func all() {
        #expect(Set(Self.addresses.map(\.use)) == Set(IPAddress.Use.allCases))
    }

    @Test(
        "An address of IPv6 that stands for one of IPv4 has its use",
        arguments: [
            ("::ffff:8.8.8.8", .public), ("::ffff:127.0.0.1", .loopback), ("::ffff:a9fe:a9fe", .metadata),
            ("::ffff:192.168.1.1", .private), ("64:ff9b::8.8.8.8", .public), ("64:ff9b::127.0.0.1", .loopback),
            ("64:ff9b::a9fe:a9fe", .metadata), ("64:ff9b::10.0.0.1", .private), ("64:ff9b::", .unspecified),
            ("2002:808:808::1", .public), ("2002:7f00:1::", .loopback), ("2002:a9fe:a9fe::", .metadata),
            ("2002:c0a8:101:1::1", .private), ("2002:e000:1::", .multicast),
        ] as [(String, IPAddress.Use)])
    func translated(text: String, use: IPAddress.Use) throws {
        #expect(try #require(IPAddress(text)).use == use)
    }
}
