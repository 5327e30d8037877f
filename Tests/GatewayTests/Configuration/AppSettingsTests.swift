import APNs
import Foundation
import Messaging
import Settings
import TestSupport
import Testing

@testable import Gateway

@Suite("Settings of APNs", .timeLimit(.minutes(10)))
struct APNsSettingsTests {
    private static let complete = [
        "apns.keyPath": "k", "apns.keyId": "ABC123DEFG", "apns.teamId": "DEF123GHIJ", "apns.bundleId": "b",
    ]

    @Test("APNs settings accept only a known environment and an endpoint with TLS")
    func choices() async throws {
        for (key, value) in [("apns.environment", "staging"), ("apns.endpoint", "http://localhost:2197")] {
            let flags = Self.complete.merging([key: value]) { $1 }
            let error = await #expect(throws: ConfigurationError.self) {
                try await GatewayConfiguration.read(flags: flags, environment: [:], file: nil)
            }
            #expect(error?.key == key)
        }
        let configuration = try await GatewayConfiguration.read(flags: Self.complete, environment: [:], file: nil)
        #expect(configuration[APNsService.self]?.apps.first?.environment == .sandbox)
    }

    // MARK: Several apps

    private func read(yaml: String) async throws -> APNsSettings {
        try await withTemporaryDirectory { directory in
            try yaml.write(toFile: directory + "/pushgate.yaml", atomically: true, encoding: .utf8)
            let configuration = try await GatewayConfiguration.read(
                flags: [:], environment: [:], file: directory + "/pushgate.yaml")
            return try #require(configuration[APNsService.self])
        }
    }

    @Test("Each app of the list has its own key, and takes missing values from apns")
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

    @Test("The first app of the list is the standard app if apns names none")
    func listOnly() async throws {
        let apns = try await read(
            yaml: """
                apns: { keyPath: k, keyId: ABC123DEFG, teamId: DEF123GHIJ }
                apps: [{ bundleId: two }, { bundleId: three }]
                """)
        #expect(apns.apps.map(\.bundleID) == ["two", "three"])
    }

    @Test(
        "An app with a missing value, a duplicate or an unknown key is refused with the setting's name",
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

@Suite("Configuration file", .timeLimit(.minutes(10)))
struct ConfigurationFileTests {
    @Test(
        "An unusable configuration file is refused with the key or place, and without its contents",
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

    @Test("A configuration file that cannot be read is refused with the reason")
    func unreadable() async throws {
        try await withTemporaryDirectory { directory in
            let (pipe, latin) = (directory + "/pipe", directory + "/latin.yaml")
            try #require(mkfifo(pipe, 0o600) == 0)
            try Data([0x23, 0xE9]).write(to: URL(fileURLWithPath: latin))
            for (path, reason) in [
                (directory + "/none.yaml", "there is no such file; give the path of a YAML file"),
                (directory, "it is a directory; give the path of a YAML file"), (latin, "it is not text in UTF-8"),
                (pipe, "it is a pipe, which gives its contents once, and SIGHUP reads them again"),
            ] {
                let error = await #expect(throws: ConfigurationError.self) {
                    try await GatewayConfiguration.read(flags: [:], environment: [:], file: path)
                }
                #expect(error?.key == "--config", "\(path)")
                #expect(error?.problem.hasPrefix("cannot read \(path): \(reason)") == true, "\(path)")
            }
        }
    }

    @Test("A configuration file that is empty, or has empty values, gives the defaults")
    func empty() async throws {
        for yaml in ["", "# nothing", "http:", "http: { port: }", "apps:", "http: { host: ~ }"] {
            try await withTemporaryDirectory { directory in
                let path = directory + "/pushgate.yaml"
                try yaml.write(toFile: path, atomically: true, encoding: .utf8)
                let configuration = try await GatewayConfiguration.read(flags: [:], environment: [:], file: path)
                #expect(configuration.http == HTTPSection() && configuration[APNsService.self] == nil)
            }
        }
    }
}
