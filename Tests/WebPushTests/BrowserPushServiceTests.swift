import Cryptography
import Messaging
import Settings
import TestDoubles
import Testing

@testable import WebPush

@Suite("Key and examination of Web Push", .timeLimit(.minutes(10)))
struct BrowserPushServiceTests {
    private static let hosts = ["web.push.apple.com", "fcm.googleapis.com", "updates.push.services.mozilla.com"]

    /// Settings that lead the main hosts and others to a server.
    private func settings(
        _ server: PushServiceStandIn, privateKey: String? = nil, hosts: [String] = []
    ) throws -> WebPushSettings {
        let servers = (Self.hosts + hosts).map { "\($0)=127.0.0.1:\(server.port)" }.joined(separator: ",")
        let values: [String: String?] = [
            "webpush.subject": "mailto:ops@pushgate.dev", "webpush.caFile": server.caFile,
            "webpush.connectTo": servers, "webpush.privateKey": privateKey,
        ]
        return try #require(
            try WebPushSettings(SettingsReader(text: { values[$0] ?? nil }).below("webpush."), apps: []))
    }

    /// A gateway that keeps a key, or none yet.
    private func host(
        keeping key: String?, _ log: CollectedLog = CollectedLog(), publicURL: String? = nil,
        browserPage: String? = nil, survey: SubscriptionSurvey? = nil
    ) -> PushServiceHost {
        PushServiceHost(
            bundleIDs: [], publicURL: publicURL, browserPage: browserPage, rejection: { _ in nil },
            contents: { _, _, _ in [] }, authorities: { _, _ in },
            secrets: { _, make throws(ConfigurationError) in
                if let key { return Array(key.utf8) }
                return try make()
            }, survey: { survey }, now: { TransportBench.now }, logger: log.logger)
    }

    @Test("A key that is made is reported, and one that is kept or configured is not")
    func newKey() async throws {
        let server = try await PushServiceStandIn(names: [])
        let key = try ES256PrivateKey.generate().pem
        func lines(keeping kept: String?, configured: String? = nil) throws -> [String] {
            let log = CollectedLog()
            _ = try BrowserPushService.sender(
                settings(server, privateKey: configured), host(keeping: kept, log))
            return log.lines.filter { $0.hasPrefix("notice made a key for Web Push;") }
        }
        #expect(try lines(keeping: nil).count == 1)
        #expect(try lines(keeping: key).isEmpty && lines(keeping: nil, configured: key).isEmpty)
        await server.stop()
    }

    @Test("Servers in place of push services are off by default, and a start with some warns of them by their names")
    func substitutes() async throws {
        let server = try await PushServiceStandIn(names: [])
        let log = CollectedLog()
        var settings = WebPushSettings(subject: "mailto:ops@pushgate.dev")
        #expect(settings.connectTo.isEmpty)
        func warnings() async throws -> [String] {
            let service = try BrowserPushService(
                settings: settings, host: host(keeping: ES256PrivateKey.generate().pem, log))
            await service.shutdown()
            return log.lines.filter { $0.hasPrefix("warning leading push services to other servers") }
        }
        #expect(try await warnings().isEmpty)
        settings = try self.settings(server)
        let lines = try await warnings()
        #expect(lines.count == 1)
        for host in Self.hosts { #expect(lines.first?.contains("\(host)=127.0.0.1:\(server.port)") == true) }
        await server.stop()
    }

    @Test(
        "Notifications open the gateway's own page, if it has one and knows its address, or the configured one",
        arguments: [
            ("https://push.example/gate", "/try", nil, "https://push.example/gate/try"),
            ("https://push.example", nil, nil, nil), (nil, "/try", nil, nil),
            ("https://push.example", "/try", "https://app.example/", "https://app.example/"),
        ] as [(String?, String?, String?, String?)])
    func navigation(publicURL: String?, page: String?, configured: String?, url: String?) throws {
        var settings = WebPushSettings(subject: "mailto:ops@pushgate.dev")
        settings.written.navigate = configured.flatMap { NavigationTemplate($0) }
        let host = host(keeping: nil, publicURL: publicURL, browserPage: page)
        let sender = try BrowserPushService.sender(settings, host).sender
        #expect(sender.navigation?.url(for: [:]) == url)
    }

    @Test("The examination shows the key that the gateway keeps, and none that it does not")
    func shownKey() async throws {
        let server = try await PushServiceStandIn(names: Self.hosts)
        let key = try ES256PrivateKey.generate()
        let publicKey = Base64URL.encode(try key.publicKey.point().bytes)
        let settings = try settings(server)
        let kept = await BrowserPushService.examine(settings, host: host(keeping: key.pem))
        #expect(kept.first == Finding.ok("webpush", "mailto:ops@pushgate.dev, key \(publicKey): usable"))
        let none = await BrowserPushService.examine(settings, host: host(keeping: nil))
        let words = "mailto:ops@pushgate.dev, no key in the data directory yet: usable"
        #expect(none.first == Finding.ok("webpush", words))
        await server.stop()
    }

    @Test("The servers of registered browsers are asked too, once each, but for those that are not allowed")
    func usedServers() async throws {
        let host = "push.example.net"
        let server = try await PushServiceStandIn(names: Self.hosts + [host])
        let servers = [
            ("https://\(host)", 5), ("https://web.push.apple.com", 3), ("https://\(host):8443", 2),
            ("https://10.0.0.1", 1),
        ].map { SubscriptionSurvey.Server(name: $0, registrations: $1) }
        let survey = SubscriptionSurvey(read: 11, isComplete: false, servers: servers)
        let findings = await BrowserPushService.examine(
            try settings(server, hosts: [host]), host: self.host(keeping: nil, survey: survey))
        // The first two are about the key, and the setting of this test.
        #expect(
            findings.dropFirst(2).map(\.fact) == [
                "registrations of browsers: 11 or more",
                "Apple: https://web.push.apple.com accepts the gateway's identity (201); 3 registrations",
                "Google: https://fcm.googleapis.com accepts the gateway's identity (201)",
                "Mozilla: https://updates.push.services.mozilla.com accepts the gateway's identity (201)",
                "https://\(host) answers (201); 5 registrations",
                "https://\(host):8443 is not allowed: it must have an allowed port (443), and has 8443; 2 registrations",
                "https://10.0.0.1 is not allowed: it must lead to a public address, and leads to a private network; "
                    + "1 registration",
            ])
        #expect(findings.dropFirst(2).map(\.severity) == [.ok, .ok, .ok, .ok, .ok, .warning, .warning])
        #expect(server.record.requests.count == 4)
        #expect(server.record.requests.allSatisfy { $0.path.utf8.count > 64 && $0.value("authorization") != nil })
        await server.stop()
    }

    @Test(
        "A server that is no known service's main host may refuse the sender, and fails nothing if it is not there",
        arguments: ["push.example.net", "storage.googleapis.com", "other.push.apple.com"])
    func unknownServers(host: String) async throws {
        for (status, severity) in [(403, .ok), (405, .ok), (500, .warning)] as [(Int, Finding.Severity)] {
            let server = try await PushServiceStandIn(names: Self.hosts + [host]) { received in
                PushServiceStandIn.Reply(status: received.value("host") == host ? status : 404)
            }
            let survey = SubscriptionSurvey(
                read: 1, isComplete: true, servers: [.init(name: "https://\(host)", registrations: 1)])
            let findings = await BrowserPushService.examine(
                try settings(server, hosts: [host]), host: self.host(keeping: nil, survey: survey))
            #expect(findings.last?.fact.hasPrefix("https://\(host) answer") == true && findings.count == 7)
            #expect(findings.last?.severity == severity, "\(findings)")
            await server.stop()
        }
        let server = try await PushServiceStandIn(names: Self.hosts)
        let stopped = try settings(server, hosts: [host])
        await server.stop()
        let survey = SubscriptionSurvey(
            read: 1, isComplete: true, servers: [.init(name: "https://\(host)", registrations: 1)])
        let findings = await BrowserPushService.examine(stopped, host: self.host(keeping: nil, survey: survey))
        #expect(findings.suffix(4).map(\.severity) == [.failed, .failed, .failed, .warning], "\(findings)")
        #expect(findings.last?.fact.hasPrefix("no answer from https://\(host): ") == true)
    }

    @Test("Browsers that have subscribed with another key are found, and without a running gateway none is examined")
    func formerKey() async throws {
        let server = try await PushServiceStandIn(names: Self.hosts)
        let settings = try settings(server)
        let survey = SubscriptionSurvey(read: 5, isComplete: true, servers: [], withFormerKey: 2)
        let found = await BrowserPushService.examine(settings, host: host(keeping: nil, survey: survey))[2]
        #expect(found.severity == .failed && found.advice?.contains("webpush.privateKey") == true)
        #expect(found.fact == "registrations of browsers: 5; 2 of them or more were made with another key")
        let renewed = SubscriptionSurvey(read: 5, isComplete: true, servers: [], withFormerKey: 0)
        let good = await BrowserPushService.examine(settings, host: host(keeping: nil, survey: renewed))[2]
        #expect(good == .ok("webpush", "registrations of browsers: 5"))
        let none = await BrowserPushService.examine(settings, host: host(keeping: nil))[2]
        #expect(none.severity == .ok && none.fact.contains("the gateway must run"))
        await server.stop()
    }

    @Test(
        "An answer of a service shows that it accepts the identity, refuses it, or neither",
        arguments: [
            (201, .ok), (400, .ok), (404, .ok), (410, .ok), (401, .failed), (403, .failed), (302, .warning),
            (429, .warning), (500, .warning), (503, .warning),
        ] as [(Int, Finding.Severity)])
    func verdicts(status: Int, severity: Finding.Severity) async throws {
        let server = try await PushServiceStandIn(names: Self.hosts) { _ in PushServiceStandIn.Reply(status: status) }
        let findings = await BrowserPushService.examine(try settings(server), host: host(keeping: nil))
        let verdicts = findings.filter { $0.fact.contains("Apple") || $0.fact.contains("Google") }
        #expect(verdicts.map(\.severity) == [severity, severity], "\(findings)")
        await server.stop()
    }
}
