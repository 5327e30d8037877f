import Functions
import Gateway
import Settings
import Testing

@Suite("Settings of the author's relay", .timeLimit(.minutes(10)))
struct AuthorRelaySettingsTests {
    private func read(_ settings: [String: String]) async throws -> AuthorRelaySettings? {
        let flags = Dictionary(uniqueKeysWithValues: settings.map { ("relay." + $0.key, $0.value) })
        return try await GatewayConfiguration.read(flags: flags, environment: [:], file: nil)[AuthorRelay.self]
    }

    @Test("The relay is off by default, and has the documented defaults if enabled")
    func off() async throws {
        #expect(try await read([:]) == nil)
        #expect(try await read(["admission": "secret", "enabled": "false"]) == nil)
        #expect(try await read(["enabled": "true"]) == AuthorRelaySettings())
    }

    @Test("A neutral text has at most 60 bytes in JSON")
    func neutralTexts() async throws {
        let longest = String(repeating: "x", count: 58)
        #expect(try await read(["enabled": "true", "title": longest, "body": longest])?.body == longest)
        for (key, text) in [("title", longest + "x"), ("body", String(repeating: "ä", count: 30))] {
            let error = await #expect(throws: ConfigurationError.self) {
                try await read(["enabled": "true", key: text])
            }
            #expect(error?.key == "relay." + key)
        }
    }

    @Test(
        "A setting of the relay that cannot be used is refused with its key, and no secret is shown",
        arguments: [
            (["enabled": "yes"], "enabled"), (["enabled": "true", "admission": "some"], "admission"),
            (["enabled": "true", "admission": "secret"], "appSecrets"),
            (["enabled": "true", "appSecrets": "s3cret"], "appSecrets"),
            (["enabled": "true", "admission": "attest"], "attestedApps"),
            (["enabled": "true", "attestedApps": "com.example.app"], "attestedApps"),
            (["enabled": "true", "attestedApps": "A1B2C3D4E5."], "attestedApps"),
            (["enabled": "true", "attestDevelopment": "some"], "attestDevelopment"),
            (["enabled": "true", "formerHosts": "https://push.example.org"], "formerHosts"),
            (["enabled": "true", "formerHosts": "münchen.example"], "formerHosts"),
            (["enabled": "true", "messagesPerMinutePerSecret": "-1"], "messagesPerMinutePerSecret"),
        ] as [([String: String], String)])
    func refused(settings: [String: String], key: String) async throws {
        let error = await #expect(throws: ConfigurationError.self) { try await read(settings) }
        #expect(error?.key == "relay." + key)
        #expect(error?.description.contains("s3cret") == false)
    }
}
