import Testing

@testable import WebPush

@Suite("Profiles of push services")
struct ServiceProfileTests {
    @Test(
        "The suffix of a host decides about its service's rules",
        arguments: [
            ("web.push.apple.com", .apple), ("eu.push.apple.com", .apple), ("push.apple.com", .apple),
            ("updates.push.services.mozilla.com", .mozilla), ("fcm.googleapis.com", .google),
            ("jmt17.google.com", .google), ("android.googleapis.com", .google),
            ("wns2-by3p.notify.windows.com", .microsoft), ("ntfy.sh", .ntfy), ("ntfy.example", .plain),
            ("push.apple.com.evil.example", .plain), ("evilpush.apple.com", .plain), ("notgoogle.com", .plain),
            ("fcm-googleapis.com", .plain), ("api.push.apple.com", .plain), ("api.sandbox.push.apple.com", .plain),
            ("localhost", .plain), ("17.188.143.34", .plain), ("2001:db8::1", .plain),
        ] as [(String, ServiceProfile)])
    func profiles(host: String, profile: ServiceProfile) {
        #expect(ServiceProfile(host: host) == profile)
    }

    @Test("Each main host belongs to a known service")
    func mainHosts() {
        for host in ServiceProfile.mainHosts.keys { #expect(ServiceProfile(host: host) != .plain) }
    }

    @Test("Each main host has a lane, and each known service without any")
    func lanesOfServices() {
        #expect(HostLane.name(of: "web.push.apple.com") == "apple")
        #expect(HostLane.name(of: "updates.push.services.mozilla.com") == "mozilla")
        #expect(HostLane.name(of: "fcm.googleapis.com") == "google")
        #expect(HostLane.name(of: "jmt17.google.com") == "google-jmt17")
        #expect(HostLane.name(of: "db5p.notify.windows.com") == "microsoft")
        #expect(HostLane.name(of: "ntfy.sh") == "ntfy")
        for name in ["apple", "mozilla", "google", "google-jmt17", "microsoft", "ntfy"] {
            #expect(!HostLane.isShared(name))
        }
    }

    @Test("A host beside a service's main ones, and another port of these, has a lane that it shares")
    func lanesBesideServices() {
        for host in ["x.push.apple.com", "api.push.apple.com", "www.google.com", "storage.googleapis.com"] {
            #expect(HostLane.isShared(HostLane.name(of: host)), "\(host)")
        }
        for host in ServiceProfile.mainHosts.keys {
            #expect(HostLane.isShared(HostLane.name(of: host, port: 8_443)), "\(host)")
        }
    }

    @Test("All other hosts share 32 lanes, and use all of them")
    func sharedLanes() {
        let names = Set((0..<1_000).map { HostLane.name(of: "push.host\($0).example") })
        #expect(names.count == 32)
        #expect(names == Set((0..<32).map { $0 < 10 ? "other-0\($0)" : "other-\($0)" }))
        #expect(names.allSatisfy { HostLane.isShared($0) })
        #expect(HostLane.isShared("plain") && HostLane.isShared(""))
    }

    @Test(
        "All hosts of a domain are in one lane",
        arguments: [
            ("a.evil.example", "evil.example"), ("b.c.evil.example", "evil.example"), ("evil.example", "evil.example"),
            ("a.b.evil.co.uk", "evil.co.uk"), ("a.b.com.au", "b.com.au"), ("evil.co.uk", "evil.co.uk"),
            // Short names are not second levels, neither below a country's domain nor below another one.
            ("a.x.de", "x.de"), ("a.b.x.io", "x.io"), ("a.b.com.example", "com.example"), ("a.co.com", "co.com"),
            ("localhost", "localhost"), ("192.168.1.5", "192.168.1.0/24"), ("192.168.1.250", "192.168.1.0/24"),
            ("2001:db8::1", "2001:db8::/48"), ("2001:db8:0:ffff::1", "2001:db8::/48"),
            ("2001:db8:1::1", "2001:db8:1::/48"),
        ])
    func domains(host: String, domain: String) {
        #expect(HostLane.domain(of: host) == domain)
        if !domain.contains("/") { #expect(HostLane.name(of: host) == HostLane.name(of: domain)) }
    }

    @Test("All addresses of a network are in one lane")
    func networks() {
        #expect(Set((0..<256).map { HostLane.name(of: "8.8.8.\($0)") }).count == 1)
        #expect(Set((1..<256).map { HostLane.name(of: "2606:4700:0:\($0)::1") }).count == 1)
    }
}
