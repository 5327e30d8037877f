import Foundation
import Gateway
import Messaging
import TestSupport
import Testing

@Suite("Apple's settings", .timeLimit(.minutes(1)))
struct APNsSettingsTests {
    private static let complete = [
        "apns.keyPath": "k", "apns.keyId": "ABC123DEFG", "apns.teamId": "DEF123GHIJ", "apns.bundleId": "b",
    ]

    @Test("name an environment and a TLS endpoint, or are refused")
    func choices() async throws {
        for (key, value) in [("apns.environment", "staging"), ("apns.endpoint", "http://localhost:2197")] {
            let flags = Self.complete.merging([key: value]) { $1 }
            let error = await #expect(throws: ConfigurationError.self) {
                try await GatewayConfiguration.read(flags: flags, environment: [:], file: nil)
            }
            #expect(error?.key == key)
        }
        let configuration = try await GatewayConfiguration.read(flags: Self.complete, environment: [:], file: nil)
        #expect(configuration.apns?.apps.first?.environment == .sandbox)
    }

    // MARK: Several apps

    private func read(yaml: String) async throws -> GatewayConfiguration.APNs {
        try await withTemporaryDirectory { directory in
            try yaml.write(toFile: directory + "/pushgate.yaml", atomically: true, encoding: .utf8)
            let configuration = try await GatewayConfiguration.read(
                flags: [:], environment: [:], file: directory + "/pushgate.yaml")
            return try #require(configuration.apns)
        }
    }

    @Test("list more apps, each with its own key, or with what it does not say from apns")
    func apps() async throws {
        let apns = try await read(
            yaml: """
                apns: { keyPath: k, keyId: 0123456789, teamId: DEF123GHIJ, bundleId: one, environment: production }
                apps:
                  - { bundleId: two, keyId: , endpoint: ~ }
                  - { bundleId: three, keyPath: other, keyId: XYZ789HIJK, teamId: LMN456OPQR, environment: sandbox, endpoint: "https://x:1" }
                """)
        #expect(apns.apps.map(\.bundleID) == ["one", "two", "three"])
        #expect(apns.apps.map(\.keyPath) == ["k", "k", "other"])
        #expect(apns.apps.map(\.keyID) == ["0123456789", "0123456789", "XYZ789HIJK"])
        #expect(apns.apps.map(\.environment) == [.production, .production, .sandbox])
        #expect(apns.apps.map(\.endpoint) == [nil, nil, "https://x:1"])
    }

    @Test("take the first of the list as the standard app when apns names none")
    func listOnly() async throws {
        let apns = try await read(
            yaml: """
                apns: { keyPath: k, keyId: ABC123DEFG, teamId: DEF123GHIJ }
                apps: [{ bundleId: two }, { bundleId: three }]
                """)
        #expect(apns.apps.map(\.bundleID) == ["two", "three"])
    }

    @Test(
        "say which app lacks what, is there twice, or has a key that does not exist",
        arguments: [
            ("apps: [{ bundleId: two }]", "apps[0].keyPath"), ("apps: { bundleId: two }", "apps"),
            ("apps: [two]", "apps[0]"), ("apps: [{ bundleID: two }]", "apps[0].bundleID"),
            (
                "apps: [{ bundleId: two, keyPath: k, keyId: ABC123DEFG, teamId: DEF123GHIJ, environment: live }]",
                "apps[0].environment"
            ),
            (
                "apns: { keyPath: k, keyId: ABC123DEFG, teamId: DEF123GHIJ }\napps: [{ bundleId: a }, { bundleId: a }]",
                "apps"
            ),
        ])
    func mistakes(yaml: String, key: String) async throws {
        let error = await #expect(throws: ConfigurationError.self) { try await read(yaml: yaml) }
        #expect(error?.key == key)
    }
}

@Suite("A configuration file that cannot be used", .timeLimit(.minutes(1)))
struct ConfigurationFileTests {
    @Test(
        "is refused with the key that does not exist, or the place that is no YAML, and without its contents",
        arguments: [
            ("http:\n  prot: 80", "http.prot"), ("htpp: { port: 80 }", "htpp.port"), ("port", "--config"),
            ("http: [1, 2]", "http"), ("http: { port: [9000] }", "http.port"),
            ("http: { trustedProxies: [\"::1\", { 10.0.0.0/8: }] }", "http.trustedProxies"),
            ("http:\n  port: { a: s3cret }", "http.port"),
            ("admin:\n  token: s3cret\n  token: s3cret", "--config"), ("admin: { token: \"s3cret }", "--config"),
        ])
    func refused(yaml: String, key: String) async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/pushgate.yaml"
            try yaml.write(toFile: path, atomically: true, encoding: .utf8)
            let error = await #expect(throws: ConfigurationError.self) {
                try await GatewayConfiguration.read(flags: [:], environment: [:], file: path)
            }
            #expect(error?.key == key)
            #expect(error?.description.contains(path) == true)
            #expect(error?.description.contains("s3cret") == false)
        }
    }

    @Test("is no mistake when it is empty, or leaves values empty")
    func empty() async throws {
        for yaml in ["", "# nothing", "http:", "http: { port: }", "apps:", "http: { host: ~ }"] {
            try await withTemporaryDirectory { directory in
                let path = directory + "/pushgate.yaml"
                try yaml.write(toFile: path, atomically: true, encoding: .utf8)
                let configuration = try await GatewayConfiguration.read(flags: [:], environment: [:], file: path)
                #expect(configuration.http == GatewayConfiguration.HTTP() && configuration.apns == nil)
            }
        }
    }
}
