import Functions
import Gateway
import Settings
import Testing

@Suite("Settings of turns", .timeLimit(.minutes(10)))
struct TurnsSettingsTests {
    private func read(_ settings: [String: String]) async throws -> TurnsSettings? {
        let flags = Dictionary(uniqueKeysWithValues: settings.map { ("functions.turns." + $0.key, $0.value) })
        return try await GatewayConfiguration.read(flags: flags, environment: [:], file: nil)[Turns.self]
    }

    @Test("Turns are off by default, and need no other setting to be enabled")
    func off() async throws {
        #expect(try await read([:]) == nil)
        #expect(try await read(["apiKeys": "0123456789abcdef", "enabled": "false"]) == nil)
        #expect(try await read(["enabled": "true"]) == TurnsSettings())
    }

    @Test("Turns read the label “none” as no label, and drop the slashes at the end of the site")
    func values() async throws {
        let turns = try await read(["enabled": "true", "label": "none", "site": "https://example.com/go//"])
        #expect(turns?.label == nil && turns?.site == "https://example.com/go")
        #expect(try await read(["enabled": "true", "label": "staging"])?.label == "staging")
    }

    @Test(
        "A turns setting that cannot be used is refused with its key, and no secret is shown",
        arguments: [
            (["enabled": "yes"], "enabled"), (["enabled": "true", "apiKeys": "s3cret"], "apiKeys"),
            (["enabled": "true", "interval": "soon"], "interval"), (["enabled": "true", "interval": "0s"], "interval"),
            (["enabled": "true", "interval": "999ms"], "interval"),
            (["enabled": "true", "requestsAtOnce": "0"], "requestsAtOnce"),
            (["enabled": "true", "requestsAtOnce": "1001"], "requestsAtOnce"),
            (["enabled": "true", "newPlayersPerHourPerAddress": "-1"], "newPlayersPerHourPerAddress"),
            (["enabled": "true", "site": "online-go.com"], "site"),
            (["enabled": "true", "site": "ftp://example.com"], "site"),
            (["enabled": "true", "site": "https://user:s3cret@example.com"], "site"),
            (["enabled": "true", "site": "https://example.com/?a=s3cret"], "site"),
            (["enabled": "true", "environment": "staging"], "environment"),
        ])
    func refused(settings: [String: String], key: String) async throws {
        let error = await #expect(throws: ConfigurationError.self) { try await read(settings) }
        #expect(error?.key == "functions.turns." + key)
        #expect(error?.description.contains("s3cret") == false)
    }
}
