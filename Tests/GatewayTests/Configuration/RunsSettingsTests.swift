import Functions
import Gateway
import Settings
import Testing

@Suite("Settings of runs", .timeLimit(.minutes(10)))
struct RunsSettingsTests {
    private func read(_ settings: [String: String]) async throws -> RunsSettings? {
        let flags = Dictionary(uniqueKeysWithValues: settings.map { ("functions.runs." + $0.key, $0.value) })
        return try await GatewayConfiguration.read(flags: flags, environment: [:], file: nil)[Runs.self]
    }

    @Test("Runs are off by default, and have the documented defaults if enabled")
    func off() async throws {
        #expect(try await read([:]) == nil)
        #expect(try await read(["apiKeys": "0123456789abcdef", "enabled": "false"]) == nil)
        let runs = try await read(["apiKeys": "0123456789abcdef", "enabled": "TRUE"])
        #expect(runs?.reminders == [.seconds(900), .seconds(3_600)] && runs?.bundleID == nil)
    }

    @Test(
        "A runs setting that cannot be used is refused with its key, and no API key is shown",
        arguments: [
            (["enabled": "yes"], "enabled"), (["enabled": "true"], "apiKeys"),
            (["enabled": "true", "apiKeys": "0123456789abcdef,too-short-s3cret"], nil),
            (["enabled": "true", "apiKeys": "0123456789abcdef,s3cret"], "apiKeys"),
            (["enabled": "true", "apiKeys": "0123456789abcdef", "reminders": "soon"], "reminders"),
            (["enabled": "true", "apiKeys": "0123456789abcdef", "reminders": "1h, 15m"], "reminders"),
            (["enabled": "true", "apiKeys": "0123456789abcdef", "reminders": "1m, 2m, 3m"], "reminders"),
            (["enabled": "true", "apiKeys": "0123456789abcdef", "environment": "staging"], "environment"),
        ] as [([String: String], String?)])
    func refused(settings: [String: String], key: String?) async throws {
        guard let key else {
            #expect(try await read(settings)?.apiKeys == ["0123456789abcdef", "too-short-s3cret"])
            return
        }
        let error = await #expect(throws: ConfigurationError.self) { try await read(settings) }
        #expect(error?.key == "functions.runs." + key)
        #expect(error?.description.contains("s3cret") == false)
    }
}
