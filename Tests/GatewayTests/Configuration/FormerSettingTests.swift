import Foundation
import Messaging
import Settings
import TestDoubles
import TestSupport
import Testing

@testable import Gateway

@Suite("Settings of earlier versions", .timeLimit(.minutes(10)))
struct FormerSettingTests {
    private static let key = "functions.sessions.deviceRetention"

    /// Reads a configuration with the YAML as its file, and returns its warnings.
    private func warnings(
        flags: [String: String] = [:], environment: [String: String] = [:], yaml: String = ""
    ) async throws -> [String] {
        try await withTemporaryDirectory { directory in
            let path = directory + "/pushgate.yaml"
            try Data(yaml.utf8).write(to: URL(fileURLWithPath: path))
            return try await GatewayConfiguration.read(flags: flags, environment: environment, file: path)
                .warnings.map(\.description)
        }
    }

    @Test("A setting that earlier versions had is a warning that names it in a flag, a variable and the file")
    func warning() async throws {
        let expected = ["\(Self.key) is no longer used; remove it"]
        #expect(try await warnings(flags: [Self.key: "30d"]) == expected)
        for value in ["30d", "[a, b]", "{ a: 1 }", "~"] {
            #expect(try await warnings(yaml: "functions: { sessions: { deviceRetention: \(value) } }") == expected)
        }
        let variable = Self.key.environmentName
        #expect(
            try await warnings(environment: [variable: "30d"]) == ["\(variable) is no longer used; remove it"])
    }

    @Test("Each setting without effect is named once, variables first, and the other settings take effect")
    func several() async throws {
        let other = "functions.sessions.sessionRetention"
        let names = try await warnings(
            flags: [Self.key: "1d", "http.port": "1"], environment: [other.environmentName: "1d", "PUSHGATE_FOO": "1"],
            yaml: "functions: { sessions: { deviceRetention: 1d, sessionRetention: 1d, coolDown: 1s } }"
        ).map { $0.prefix { $0 != " " } }
        #expect(names == ["PUSHGATE_FOO", other.environmentName[...], Self.key[...], other[...]])
        let configuration = try await GatewayConfiguration.read(
            flags: [Self.key: "1d", "http.port": "1"], environment: [:], file: nil)
        #expect(configuration.http.port == 1)
    }

    @Test("A configuration without such a setting has no warning, and a key that never was one is still an error")
    func others() async throws {
        #expect(try await warnings(flags: ["http.port": "1"], yaml: "log: { level: error }") == [])
        let error = await #expect(throws: ConfigurationError.self) {
            try await warnings(yaml: "functions: { sessions: { deviceRetentions: 1d } }")
        }
        #expect(error?.problem.hasPrefix("is not a key; ") == true)
        #expect(error?.problem.contains("deviceRetention") == false, "a key that has no effect is advised")
    }

    @Test("No setting of an earlier version is a setting of this one")
    func disjoint() {
        #expect(SettingTable.available.formerKeys.isDisjoint(with: SettingTable.available.keys))
        #expect(SettingTable.available.formerKeys.contains(Self.key))
    }

    @Test("The doctor reports a setting that has no effect")
    func doctor() async throws {
        try await withDataDirectory { directory in
            let configuration = try await GatewayConfiguration.read(
                flags: ["data.directory": directory, Self.key: "1d"], environment: [:], file: nil)
            var found: [String] = []
            await Doctor(configuration, logger: .silent).examine(isOffline: true) { finding in
                if finding.part == "settings", finding.severity == .warning { found.append(finding.fact) }
            }
            #expect(found == ["\(Self.key) is no longer used; remove it"])
        }
    }
}
