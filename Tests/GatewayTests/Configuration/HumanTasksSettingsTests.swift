import Functions
import Gateway
import Messaging
import Settings
import Testing

@Suite("Settings of human tasks", .timeLimit(.minutes(10)))
struct HumanTasksSettingsTests {
    private func read(_ settings: [String: String]) async throws -> HumanTasksSettings? {
        let flags = Dictionary(uniqueKeysWithValues: settings.map { ("functions.humantasks." + $0.key, $0.value) })
        return try await GatewayConfiguration.read(flags: flags, environment: [:], file: nil)[HumanTasks.self]
    }

    @Test("Human tasks are off by default, and have the documented defaults if enabled")
    func defaults() async throws {
        #expect(try await read([:]) == nil)
        #expect(try await read(["publicUrl": "https://a.example", "enabled": "false"]) == nil)
        let tasks = try #require(try await read(["enabled": "true"]))
        #expect(tasks == HumanTasksSettings())
        #expect(tasks.publicURL == nil && tasks.lifetime == .seconds(7 * 86_400))
        #expect(tasks.retention == .seconds(30 * 86_400) && tasks.maximumPhotoBytes == 10_485_760)
        #expect(tasks.maximumPhotos == 20 && tasks.newDevicesPerHourPerAddress == 20)
        #expect(tasks.newTasksPerHourPerDevice == 60)
    }

    @Test("Human tasks read all their settings, and drop the slash at the end of the URL")
    func reading() async throws {
        let tasks = try #require(
            try await read([
                "enabled": "true", "publicUrl": "https://a.example/tasks/", "lifetime": "1h", "retention": "2d",
                "maximumPhotoBytes": "2048", "maximumPhotos": "0", "newDevicesPerHourPerAddress": "0",
                "bundleId": "com.example.tasks", "environment": "production",
            ]))
        #expect(tasks.publicURL == "https://a.example/tasks" && tasks.lifetime == .seconds(3_600))
        #expect(tasks.retention == .seconds(2 * 86_400) && tasks.maximumPhotoBytes == 2_048 && tasks.maximumPhotos == 0)
        #expect(tasks.bundleID == "com.example.tasks" && tasks.environment == "production")
    }

    @Test(
        "A human tasks setting that cannot be used is refused with its key",
        arguments: [
            ("enabled", "yes"), ("publicUrl", "example.com"), ("publicUrl", "ftp://example.com"),
            ("publicUrl", "https://example.com/?a=b"), ("publicUrl", "https://me@example.com"), ("lifetime", "soon"),
            ("retention", "-1s"), ("maximumPhotoBytes", "1023"), ("maximumPhotos", "1001"),
            ("newDevicesPerHourPerAddress", "-1"), ("newTasksPerHourPerDevice", "many"), ("environment", "staging"),
        ])
    func refused(key: String, value: String) async throws {
        let error = await #expect(throws: ConfigurationError.self) {
            try await read(["enabled": "true"].merging([key: value]) { $1 })
        }
        #expect(error?.key == "functions.humantasks." + key)
    }
}
