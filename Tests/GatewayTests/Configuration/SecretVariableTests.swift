import Foundation
import Functions
import Secrets
import Settings
import TestSupport
import Testing

@testable import Gateway

@Suite("Secrets from files", .timeLimit(.minutes(10)))
struct SecretVariableTests {
    private static let token = "0123456789abcdef"

    /// Reads a configuration with a variable that names a file.
    private func read(
        _ variable: String, file contents: String, flags: [String: String] = [:],
        environment: [String: String] = [:], yaml: String = ""
    ) async throws -> GatewayConfiguration {
        try await withTemporaryDirectory { directory in
            let (secret, file) = (directory + "/secret", directory + "/pushgate.yaml")
            try Data(contents.utf8).write(to: URL(fileURLWithPath: secret))
            try Data(yaml.utf8).write(to: URL(fileURLWithPath: file))
            return try await GatewayConfiguration.read(
                flags: flags, environment: environment.merging([variable: secret]) { $1 }, file: file)
        }
    }

    @Test(
        "A secret's file gives the setting's value without the line break at its end",
        arguments: ["", "\n", "\r\n"])
    func lineBreak(end: String) async throws {
        let configuration = try await read("PUSHGATE_ADMIN_TOKEN_FILE", file: Self.token + end)
        #expect(configuration.admin.token?.value == Self.token)
        #expect(configuration.admin.readToken == nil)
    }

    @Test("Only one line break is removed from the end of a secret's file")
    func secondLineBreak() async throws {
        let error = await #expect(throws: ConfigurationError.self) {
            try await read("PUSHGATE_ADMIN_TOKEN_FILE", file: Self.token + "\n\n")
        }
        #expect(error?.key == "admin.token" && error?.problem.contains("no blanks") == true)
        #expect(error?.description.contains(Self.token) == false)
    }

    @Test("The lines of a secret's file are the elements of a list, as texts between commas are")
    func lists() async throws {
        let keys = ["0123456789abcdef", "fedcba9876543210", "0011223344556677"]
        let configuration = try await read(
            "PUSHGATE_FUNCTIONS_RUNS_API_KEYS_FILE", file: "\(keys[0])\n\(keys[1]), \(keys[2])\n",
            environment: ["PUSHGATE_FUNCTIONS_RUNS_ENABLED": "true"])
        #expect(configuration[Runs.self]?.apiKeys == APIKeys(keys))
    }

    @Test("A secret's file has the precedence of the environment: below a flag and above the configuration file")
    func precedence() async throws {
        let variable = "PUSHGATE_ADMIN_TOKEN_FILE"
        let yaml = "admin: { token: from-the-yaml-file }"
        let aboveYAML = try await read(variable, file: Self.token, yaml: yaml)
        #expect(aboveYAML.admin.token?.value == Self.token)
        let belowFlag = try await read(variable, file: Self.token, flags: ["admin.token": "from-the-flag-flag"])
        #expect(belowFlag.admin.token?.value == "from-the-flag-flag")
    }

    @Test("A secret in a variable and in a file is refused, without either of them; an empty variable counts as absent")
    func both() async throws {
        let other = "fedcba9876543210"
        let error = await #expect(throws: ConfigurationError.self) {
            try await read(
                "PUSHGATE_ADMIN_TOKEN_FILE", file: Self.token, environment: ["PUSHGATE_ADMIN_TOKEN": other])
        }
        #expect(error?.key == "PUSHGATE_ADMIN_TOKEN_FILE")
        #expect(error?.problem == "is set as well as PUSHGATE_ADMIN_TOKEN; unset one of them")
        let empty = try await read(
            "PUSHGATE_ADMIN_TOKEN_FILE", file: Self.token, environment: ["PUSHGATE_ADMIN_TOKEN": ""])
        #expect(empty.admin.token?.value == Self.token)
        let unset = try await GatewayConfiguration.read(
            flags: [:], environment: ["PUSHGATE_ADMIN_TOKEN_FILE": "", "PUSHGATE_ADMIN_TOKEN": other], file: nil)
        #expect(unset.admin.token?.value == other)
    }

    @Test("A secret's file that is empty is refused with its variable", arguments: ["", "\n", "\r\n"])
    func empty(contents: String) async throws {
        let error = await #expect(throws: ConfigurationError.self) {
            try await read("PUSHGATE_ADMIN_TOKEN_FILE", file: contents)
        }
        #expect(error?.key == "PUSHGATE_ADMIN_TOKEN_FILE")
        #expect(error?.problem.contains("the file that it names is empty; give the path of a file") == true)
    }

    @Test("A secret's file that is missing, a folder or not UTF-8 is refused with its variable, and is not shown")
    func unreadable() async throws {
        try await withTemporaryDirectory { directory in
            let binary = directory + "/binary"
            try Data([0x73, 0x65, 0x63, 0x72, 0x65, 0x74, 0xFF]).write(to: URL(fileURLWithPath: binary))
            let problems = [
                directory + "/none": "there is no such file", directory: "it is a directory", binary: "UTF-8",
            ]
            for (path, problem) in problems {
                let error = await #expect(throws: ConfigurationError.self) {
                    try await GatewayConfiguration.read(
                        flags: [:], environment: ["PUSHGATE_ADMIN_TOKEN_FILE": path], file: nil)
                }
                #expect(error?.key == "PUSHGATE_ADMIN_TOKEN_FILE")
                #expect(error?.problem.contains(problem) == true)
                #expect(error?.problem.contains("the path of a file with the value of PUSHGATE_ADMIN_TOKEN") == true)
                let description = error?.description ?? ""
                #expect(!description.contains("secret") && !description.contains(directory))
            }
        }
    }

    @Test(
        "A secret that is given in place of the path of its file is not shown",
        arguments: [
            "PUSHGATE_ADMIN_TOKEN_FILE", "PUSHGATE_STORE_URL_FILE", "PUSHGATE_APNS_PROXY_FILE",
            "PUSHGATE_FUNCTIONS_SESSIONS_MASTER_KEY_FILE",
        ],
        ["s3cr3t-0123456789abcdef", "postgres://me:s3cr3t@db/x", String(repeating: "s3cr3t", count: 2_000)])
    func secretForPath(variable: String, secret: String) async throws {
        let error = await #expect(throws: ConfigurationError.self) {
            try await GatewayConfiguration.read(flags: [:], environment: [variable: secret], file: nil)
        }
        #expect(error?.key == variable)
        #expect(error?.problem.contains("; give the path of a file with the value of \(variable.dropLast(5))") == true)
        #expect(error.map { "\($0)".contains("s3cr3t") } == false)
    }

    @Test("A password that is given in place of the path of its file is not shown")
    func passwordForPath() async throws {
        let configuration = try await GatewayConfiguration.read(
            flags: [:],
            environment: ["PUSHGATE_STORE_URL": "postgres://a@b/c", "PUSHGATE_STORE_PASSWORD_FILE": "s3cr3t"],
            file: nil)
        let error = #expect(throws: ConfigurationError.self) { try configuration.store.postgreSQL() }
        #expect(error?.key == "store.passwordFile")
        #expect(error?.problem.contains("; give the path of a file with the password alone") == true)
        #expect(error.map { "\($0)".contains("s3cr3t") } == false)
    }

    @Test(
        "A secret from a file that cannot be used is refused with its key and without a part of it",
        arguments: [
            ("admin.token", "s3cr3t"), ("admin.readToken", "s3cr3t s3cr3t s3cr3t"), ("store.url", "s3cr3t@db"),
            ("store.url", "postgres://me:s3cr3t@[db/x"), ("apns.proxy", "http://me:s3cr3t@proxy:x"),
            ("apns.proxy", "me:s3cr3t"), ("functions.runs.apiKeys", "s3cr3t"),
            ("functions.sessions.readKeys", "s3cr3t"), ("functions.sessions.masterKey", "s3cr3t"),
            ("relay.appSecrets", "s3cr3t"),
        ])
    func unusableSecret(key: String, contents: String) async throws {
        var flags: [String: String] = [:]
        for system in ["runs", "sessions"] where key.hasPrefix("functions.\(system).") {
            flags["functions.\(system).enabled"] = "true"
        }
        if key.hasPrefix("relay.") { flags["relay.enabled"] = "true" }
        if key == "functions.sessions.readKeys" { flags["functions.sessions.masterKey"] = Self.token }
        let error = await #expect(throws: ConfigurationError.self) {
            try await read(key.environmentName + "_FILE", file: contents, flags: flags)
        }
        #expect(error?.key == key)
        #expect(error.map { "\($0)".contains("s3cr3t") } == false)
    }

    @Test("A secret's file is read again with each reading of the configuration")
    func changedFile() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/secret"
            let environment = ["PUSHGATE_ADMIN_READ_TOKEN_FILE": path]
            for token in [Self.token, "fedcba9876543210"] {
                try Data(token.utf8).write(to: URL(fileURLWithPath: path))
                let configuration = try await GatewayConfiguration.read(flags: [:], environment: environment, file: nil)
                #expect(configuration.admin.readToken?.value == token)
            }
        }
    }

    @Test("Every secret can come from a file, and no other setting can")
    func allSecrets() async throws {
        let declarations = SettingTable.available.declarations
        #expect(declarations.filter { $0.secrecy != .open }.count > 5)
        try await withTemporaryDirectory { directory in
            let path = directory + "/secret"
            try Data("contents".utf8).write(to: URL(fileURLWithPath: path))
            for declaration in declarations {
                let variable = declaration.key.environmentName + "_FILE"
                let settings = try ConfigurationSources(
                    flags: [:], environment: [variable: path], file: nil, .available
                ).reader
                let values = try settings.list(declaration.key, of: "a text") { $0 }
                let warnings = SettingVariables(.available).warnings(in: [variable: path])
                if declaration.secrecy == .open {
                    #expect(values.isEmpty, "\(variable) is read")
                    #expect(warnings.count == 1, "\(variable) has no warning")
                } else {
                    #expect(values == ["contents"], "\(variable) is not read")
                    #expect(warnings.isEmpty)
                }
            }
        }
    }

    @Test("The master key of coding sessions comes from its file for the command line too")
    func masterKey() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/secret"
            try Data("\(Self.token)\n".utf8).write(to: URL(fileURLWithPath: path))
            let key = try SessionsMasterKey.read(
                environment: ["PUSHGATE_FUNCTIONS_SESSIONS_MASTER_KEY_FILE": path], file: nil)
            #expect(key?.value == Self.token)
        }
    }

    @Test("The master key is read without the files of other secrets", arguments: [true, false])
    func onlyMasterKey(isInFile: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let (path, yaml) = (directory + "/secret", directory + "/pushgate.yaml")
            try Self.token.write(toFile: path, atomically: true, encoding: .utf8)
            try "functions: { sessions: { masterKey: \(Self.token) } }".write(
                toFile: yaml, atomically: true, encoding: .utf8)
            var environment = [
                "PUSHGATE_ADMIN_TOKEN_FILE": directory + "/none", "PUSHGATE_STORE_URL_FILE": directory,
                "PUSHGATE_FUNCTIONS_SESSIONS_READ_KEYS_FILE": directory + "/none",
            ]
            if isInFile { environment["PUSHGATE_FUNCTIONS_SESSIONS_MASTER_KEY_FILE"] = path }
            let key = try SessionsMasterKey.read(environment: environment, file: isInFile ? nil : yaml)
            #expect(key?.value == Self.token)
            #expect(throws: ConfigurationError.self) {
                try ConfigurationSources(flags: [:], environment: environment, file: nil, .available)
            }
        }
    }
}
