import Functions
import Gateway
import Testing

@Suite("The settings of turns", .timeLimit(.minutes(1)))
struct TurnsSettingsTests {
    private func read(_ settings: [String: String]) async throws -> TurnsConfiguration? {
        let flags = Dictionary(uniqueKeysWithValues: settings.map { ("functions.turns." + $0.key, $0.value) })
        return try await GatewayConfiguration.read(flags: flags, environment: [:], file: nil).systems.turns
    }

    @Test("leave them off unless they say otherwise, and need nothing else")
    func off() async throws {
        #expect(try await read([:]) == nil)
        #expect(try await read(["apiKeys": "0123456789abcdef", "enabled": "false"]) == nil)
        #expect(try await read(["enabled": "true"]) == TurnsConfiguration())
    }

    @Test("take a label of none for no label, and a site with slashes at its end without them")
    func values() async throws {
        let turns = try await read(["enabled": "true", "label": "none", "site": "https://example.com/go//"])
        #expect(turns?.label == nil && turns?.site == "https://example.com/go")
        #expect(try await read(["enabled": "true", "label": "staging"])?.label == "staging")
    }

    @Test(
        "that cannot be used are refused by name, and no key is shown",
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
