import Functions
import Gateway
import Settings
import Testing

@Suite("Settings of coding sessions", .timeLimit(.minutes(10)))
struct SessionsSettingsTests {
    private static let key = "0123456789abcdef"
    private static let scoped = "claud_0123456789abcdef0123456789abcdef"

    private func read(_ settings: [String: String]) async throws -> SessionsSettings? {
        let flags = Dictionary(uniqueKeysWithValues: settings.map { ("functions.sessions." + $0.key, $0.value) })
        return try await GatewayConfiguration.read(flags: flags, environment: [:], file: nil)[Sessions.self]
    }

    @Test("Coding sessions are off by default, and have the documented defaults if enabled")
    func off() async throws {
        #expect(try await read([:]) == nil)
        #expect(try await read(["masterKey": Self.key, "enabled": "false"]) == nil)
        let sessions = try #require(try await read(["masterKey": Self.key, "enabled": "true"]))
        #expect(sessions == SessionsSettings(masterKey: Self.key))
        #expect(sessions.readKeys.isEmpty && sessions.writeKeys.isEmpty && sessions.bundleID == nil)
        #expect(sessions.coolDown == .seconds(30) && sessions.notificationRetention == .seconds(86_400))
        #expect(sessions.eventRetention == .seconds(7 * 86_400))
    }

    @Test("Coding sessions accept a retention of one hour and a cool-down of zero")
    func bounds() async throws {
        let names = ["notificationRetention", "eventRetention"]
        var settings = Dictionary(uniqueKeysWithValues: names.map { ($0, "1h") })
        settings.merge(["enabled": "true", "masterKey": Self.key, "coolDown": "0s"]) { $1 }
        let sessions = try #require(try await read(settings))
        #expect(sessions.notificationRetention == .seconds(3_600) && sessions.eventRetention == .seconds(3_600))
        #expect(sessions.coolDown == .zero)
    }

    @Test(
        "A coding sessions setting that cannot be used is refused with its key, and no secret is shown",
        arguments: [
            ([:], "masterKey"), (["masterKey": "s3cret"], "masterKey"), (["enabled": "yes"], "enabled"),
            (["readKeys": "s3cret-s3cret-s3cret-s3cret-s3cret-s3"], "readKeys"),
            (["writeKeys": "\(scoped), claud_s3cret"], "writeKeys"), (["coolDown": "soon"], "coolDown"),
            (["notificationRetention": "long"], "notificationRetention"),
            (["eventRetention": "-1s"], "eventRetention"),
            (["notificationRetention": "0s"], "notificationRetention"), (["eventRetention": "59m"], "eventRetention"),
            (["eventRetention": "3599s"], "eventRetention"),
        ] as [([String: String], String)])
    func refused(settings: [String: String], key: String) async throws {
        let base = key == "masterKey" ? ["enabled": "true"] : ["enabled": "true", "masterKey": Self.key]
        let all = base.merging(settings) { $1 }
        let error = await #expect(throws: ConfigurationError.self) { try await read(all) }
        #expect(error?.key == "functions.sessions." + key)
        #expect(error?.description.contains("s3cret") == false)
    }
}
