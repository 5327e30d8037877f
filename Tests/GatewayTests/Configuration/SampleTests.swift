import Foundation
import Functions
import TestSupport
import Testing

@testable import Gateway

@Suite("Sample configuration", .timeLimit(.minutes(10)))
struct SampleTests {
    private func text(of name: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        return try String(contentsOf: root.appending(path: name), encoding: .utf8)
    }

    /// Returns the sample with its commented-out settings in force.
    private func everything() throws -> String {
        try text(of: "docker/pushgate.yaml").split(separator: "\n").map { line in
            line.replacing(/^( *)# ( *)(?:# )?((?:- )?[a-zA-Z]+:(?: |$).*)$/) { $0.1 + $0.2 + $0.3 }
        }.joined(separator: "\n")
    }

    private func configuration(_ yaml: String) async throws -> GatewayConfiguration {
        try await withTemporaryDirectory { directory in
            let path = directory + "/pushgate.yaml"
            try yaml.write(toFile: path, atomically: true, encoding: .utf8)
            return try await GatewayConfiguration.read(flags: [:], environment: [:], file: path)
        }
    }

    @Test("The sample configuration has every key, each with a value that can be used")
    func complete() async throws {
        let all = try await configuration(try everything())
        #expect(all.apns?.apps.count == 3 && all.fcm.relay != nil && all.fcm.proxyPort == 8_444)
        #expect(GatewayConfiguration.keys.subtracting(keys(in: try everything())) == [])
    }

    /// Returns the keys that have a value in YAML that consists of nested block mappings only.
    private func keys(in yaml: String) -> Set<String> {
        var keys: Set<String> = []
        var path: [(indentation: Int, name: Substring)] = []
        for line in yaml.split(separator: "\n") {
            guard let match = line.wholeMatch(of: /( *)([a-zA-Z]+):(.*)/) else { continue }
            path.removeAll { $0.indentation >= match.1.count }
            path.append((match.1.count, match.2))
            if !match.3.isEmpty { keys.insert(path.map(\.name).joined(separator: ".")) }
        }
        return keys
    }

    @Test("The sample configuration without changes gives the defaults")
    func defaults() async throws {
        let sample = try await configuration(try text(of: "docker/pushgate.yaml"))
        let defaults = GatewayConfiguration()
        #expect(sample.http == defaults.http && sample.fcm == defaults.fcm && sample.log == defaults.log)
        #expect(sample.firestore == defaults.firestore && sample.store == defaults.store)
        #expect(
            sample[CodeAgents.self] == defaults[CodeAgents.self] && sample.dataDirectory == defaults.dataDirectory)
        #expect(sample.messageLifetime == defaults.messageLifetime)
        #expect(sample.messageRetention == defaults.messageRetention)
        #expect(sample.messageBytesPerOwner == defaults.messageBytesPerOwner && sample.minimumFreeBytes == nil)
        #expect(sample.dailyBackups == defaults.dailyBackups && sample.backsUpBeforeUpgrade)
        #expect(sample.apns == nil && sample.adminToken == nil)
    }

    @Test("Every key is documented, and compose.yaml passes its variable on unless the image sets it")
    func documented() throws {
        let page = try text(of: "docs/configuration.md")
        let compose = try text(of: "docker/compose.yaml")
        for key in GatewayConfiguration.keys {
            #expect(page.contains("`\(key)` ("), "\(key) is not in docs/configuration.md")
            let variable = key.environmentName
            #expect(page.contains("`\(variable)`"), "\(key)’s variable is not there")
            // The image sets these three.
            guard !["http.host", "http.port", "data.directory"].contains(key) else { continue }
            #expect(compose.contains("- \(variable)\n"), "\(variable) is not in compose.yaml")
        }
    }
}

extension String {
    /// The name of the environment variable of a key.
    var environmentName: String {
        map { $0 == "." ? "_" : $0.isUppercase ? "_\($0)" : $0.uppercased() }.reduce("PUSHGATE_", +)
    }
}
