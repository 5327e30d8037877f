import Emulator
import Foundation
import Messaging
import Settings
import TestSupport
import Testing

@testable import Gateway

@Suite("Mistakes in the settings of an app", .timeLimit(.minutes(10)))
struct AppMistakeTests {
    private static let right = [
        "apns.keyPath": "/etc/pushgate/AuthKey_ABC123DEFG.p8", "apns.keyId": "ABC123DEFG", "apns.teamId": "DEF123GHIJ",
        "apns.bundleId": "com.example.app", "apns.endpoint": "https://127.0.0.1:2197",
    ]

    private func read(_ settings: [String: String]) async throws -> GatewayConfiguration {
        try await GatewayConfiguration.read(
            flags: Self.right.merging(settings) { $1 }, environment: [:], file: nil)
    }

    @Test(
        "App settings with another key file name, a named endpoint or the standard port are accepted",
        arguments: [
            [:], ["apns.keyPath": "key.p8"], ["apns.keyPath": "AuthKey_mine.p8", "apns.keyId": "0123456789"],
            ["apns.endpoint": "https://simulator:2197"], ["apns.endpoint": "https://[::1]:443"],
            ["apns.bundleId": "DEF123GHIJ"], ["apns.bundleId": "com.DEF123GHIJ.app"],
        ] as [[String: String]])
    func right(settings: [String: String]) async throws {
        #expect(try await read(settings)[APNsService.self]?.apps.count == 1)
    }

    @Test(
        "App settings that cannot work are refused with the key, the value and the advice",
        arguments: [
            ("apns.keyId", "ABC123DEF", "ten capital letters and digits"),
            ("apns.keyId", "abc123defg", "ten capital letters and digits"),
            ("apns.keyId", "ABC123DEFGH", "ten capital letters and digits"),
            ("apns.keyId", "ABC-23DEFG", "ten capital letters and digits"),
            ("apns.teamId", "My Company", "ten capital letters and digits"),
            ("apns.teamId", "ÄÖÜ4567", "ten capital letters and digits"),
            ("apns.keyId", "XYZ789HIJK", "AuthKey_ABC123DEFG.p8 is the file of key ABC123DEFG by its name"),
            ("apns.bundleId", "DEF123GHIJ.com.example.app", "The bundle id is com.example.app"),
            ("apns.bundleId", "com example app", "letters, digits, hyphens and dots"),
            ("apns.bundleId", "  ", "letters, digits, hyphens and dots"),
            ("apns.endpoint", "https://127.0.0.1:0", "port 0"),
            ("apns.endpoint", "https://127.0.0.1:2197/", "Write https://127.0.0.1:2197"),
            ("apns.endpoint", "https://127.0.0.1:2197/3/device", "Write https://127.0.0.1:2197"),
            ("apns.endpoint", "https://x/x", "Write https://x"),
            ("apns.endpoint", "https://127.0.0.1", "Write https://127.0.0.1:2197 for a simulator"),
            ("apns.endpoint", "https://", "a host and a port"),
            ("apns.endpoint", "https://a:b@127.0.0.1:2197", "a host and a port"),
            ("apns.broadcastEndpoint", "https://127.0.0.1:0", "port 0"),
            ("apns.channelEndpoint", "https://127.0.0.1:2196/1/apps", "Write https://127.0.0.1:2196"),
        ])
    func refused(key: String, value: String, advice: String) async throws {
        let error = await #expect(throws: ConfigurationError.self) { try await read([key: value]) }
        #expect(error?.key == key)
        #expect(error?.problem.contains("“\(value)”") == true, "\(error?.problem ?? "")")
        #expect(error?.problem.contains(advice) == true, "\(error?.problem ?? "")")
    }

    @Test("A key id and a team id that are swapped or equal are refused as such")
    func swapped() async throws {
        let same = await #expect(throws: ConfigurationError.self) { try await read(["apns.teamId": "ABC123DEFG"]) }
        #expect(same?.key == "apns.keyId" && same?.problem.contains("is the same as apns.teamId") == true)
        let error = await #expect(throws: ConfigurationError.self) {
            try await read(["apns.keyId": "DEF123GHIJ", "apns.teamId": "ABC123DEFG"])
        }
        #expect(error?.key == "apns.keyId" && error?.problem.contains("the two are swapped") == true)
    }

    @Test("A mistake in the list of apps is reported with the key of the list's element")
    func listed() async throws {
        let apns = "apns: { keyPath: k.p8, keyId: ABC123DEFG, teamId: DEF123GHIJ, bundleId: one }\n"
        for (app, key) in [
            ("{ bundleId: two, keyPath: AuthKey_XYZ789HIJK.p8 }", "apps[0].keyId"),
            ("{ bundleId: DEF123GHIJ.two }", "apps[0].bundleId"),
            ("{ bundleId: two, endpoint: \"https://x/\" }", "apps[0].endpoint"),
        ] {
            try await withTemporaryDirectory { directory in
                let path = directory + "/pushgate.yaml"
                try (apns + "apps: [\(app)]").write(toFile: path, atomically: true, encoding: .utf8)
                let error = await #expect(throws: ConfigurationError.self) {
                    try await GatewayConfiguration.read(flags: [:], environment: [:], file: path)
                }
                #expect(error?.key == key)
            }
        }
    }

    @Test(
        "A bundle id of a system that begins with the team id is refused",
        arguments: ["runs", "turns", "sessions", "humantasks"])
    func systems(name: String) async throws {
        let error = await #expect(throws: ConfigurationError.self) {
            try await read([
                "functions.\(name).enabled": "true", "functions.\(name).bundleId": "DEF123GHIJ.com.example.app",
                "functions.runs.apiKeys": "0123456789abcdef", "functions.sessions.masterKey": "0123456789abcdef",
            ])
        }
        #expect(error?.key == "functions.\(name).bundleId")
    }

    @Test("An entry of the list of apps takes only the keys of the push services that the gateway has")
    func otherServices() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/pushgate.yaml"
            try "apps: [{ bundleId: com.example.app }]".write(toFile: path, atomically: true, encoding: .utf8)
            let error = await #expect(throws: ConfigurationError.self) {
                try await GatewayConfiguration.read(
                    flags: [:], environment: [:], file: path, services: PushServiceTable([InboxService.self]))
            }
            #expect(error?.key == "apps[0].bundleId" && error?.problem.hasPrefix("is not a key") == true)
        }
    }
}
