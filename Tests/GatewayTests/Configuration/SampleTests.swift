import Foundation
import Functions
import Settings
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
        #expect(all[APNsService.self]?.apps.count == 3 && all[RelayService.self] != nil && all.fcm.proxyPort == 8_444)
        #expect(SettingTable.available.keys.subtracting(keys(in: try everything())) == [])
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
        #expect(sample.data == defaults.data && sample.messages == defaults.messages)
        #expect(sample.backups == defaults.backups && sample.metrics == defaults.metrics)
        #expect(sample.webPush == defaults.webPush)
        #expect(sample[CodeAgents.self] == defaults[CodeAgents.self])
        #expect(sample[APNsService.self] == nil && sample.admin.token == nil)
    }

    @Test("The page has each declared setting with its form, default and variable, and no other")
    func page() throws {
        let page = try text(of: "docs/configuration.md").replacing(/\s+/, with: " ")
        let declarations = SettingTable.available.declarations
        for declaration in declarations {
            let entry = declaration.entry
            #expect(page.contains(entry), "docs/configuration.md does not have \(entry)")
        }
        let keys = page.matches(of: /`([a-zA-Z]+\.[a-zA-Z.]+)` \([^)]*`PUSHGATE_/).map { String($0.1) }
        #expect(Set(keys).subtracting(declarations.map(\.key)) == [])
        #expect(keys.count == declarations.count, "a setting has two entries")
    }

    @Test("The page names the settings that files can contain: all secrets, and no other")
    func pageOfSecrets() throws {
        let page = try text(of: "docs/configuration.md").replacing(/\s+/, with: " ")
        let sentence = try #require(page.firstMatch(of: /This holds for ([^:;]*), and for no other key/))
        let keys = sentence.1.matches(of: /`([^`]+)`/).map { String($0.1) }
        let secrets = SettingTable.available.declarations.filter { $0.secrecy != .open }.map(\.key)
        #expect(keys.sorted() == secrets.sorted())
    }

    @Test("compose.yaml passes on the variables of all settings but those that the image sets, and no other")
    func compose() throws {
        let compose = try text(of: "docker/compose.yaml")
        let passed = compose.matches(of: /- (PUSHGATE_[A-Z_]+)\n/).map { String($0.1) }
        var variables: [String] = []
        for declaration in SettingTable.available.declarations
        where !["http.host", "http.port", "data.directory"].contains(declaration.key) {
            variables.append(declaration.key.environmentName)
            if declaration.secrecy != .open { variables.append(declaration.key.environmentName + "_FILE") }
        }
        #expect(passed.sorted() == variables.sorted())
    }

    @Test("No two settings have the same key, and each has a meaning of one line")
    func declarations() {
        let declarations = SettingTable.available.declarations
        #expect(Set(declarations.map(\.key)).count == declarations.count)
        for declaration in declarations {
            #expect(!declaration.meaning.isEmpty && !declaration.meaning.contains("\n"), "\(declaration.key)")
            #expect(!declaration.meaning.hasSuffix("."), "\(declaration.key)")
        }
    }

    @Test("The help of a flag has the meaning, the key and the default of its setting")
    func help() {
        #expect(SettingTable.available.help(for: "http.host") == "The address to listen on (http.host, 127.0.0.1).")
        #expect(
            SettingTable.available.help(for: "http.port")
                == "The port to listen on, 0 for any free port (http.port, 8080).")
        #expect(
            SettingTable.available.help(for: "data.directory")
                == "The data directory (data.directory, ./pushgate-data).")
        #expect(
            SettingTable.available.help(for: "log.level")
                == "The log level: trace, debug, info, notice, warning, error or critical (log.level, info).")
        #expect(
            SettingTable.available.help(for: "log.format") == "The log format: human or json (log.format, human).")
    }
}

extension String {
    /// The name of the environment variable of a key.
    var environmentName: String {
        map { $0 == "." ? "_" : $0.isUppercase ? "_\($0)" : $0.uppercased() }.reduce("PUSHGATE_", +)
    }
}

extension SettingDeclaration {
    /// The key, the form, the default and the variable, as docs/configuration.md shows them. Semicolons separate them
    /// if the form has commas.
    fileprivate var entry: String {
        let separator = form.contains(", ") ? "; " : ", "
        return "`\(key)` (" + [form, standard, "`\(key.environmentName)`"].joined(separator: separator)
    }
}

extension SettingTable {
    /// All keys.
    var keys: Set<String> { Set(declarations.map(\.key)) }
}
