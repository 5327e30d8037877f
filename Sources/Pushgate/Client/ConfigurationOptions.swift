import ArgumentParser
import Foundation
import Gateway

/// The options of a verb that reads a gateway's configuration instead of talking to a running gateway.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("A YAML file with the configuration; docker/pushgate.yaml is a sample.", valueName: "FILE"))
    var config: String?

    @Option(help: ArgumentHelp(setting: FlagKey.host, valueName: "ADDRESS"))
    var host: String?

    @Option(help: ArgumentHelp(setting: FlagKey.port, valueName: "PORT"))
    var port: String?

    @Option(
        name: .customLong("domain"),
        help: ArgumentHelp(
            """
            A name of this machine, such as push.example.com: serve HTTPS on port 443 with a certificate from Let's \
            Encrypt, whose terms of service you accept. May be repeated (\(FlagKey.domains)).
            """, valueName: "NAME"))
    var domains: [String] = []

    @Option(help: ArgumentHelp(setting: FlagKey.dataDirectory, valueName: "DIRECTORY"))
    var dataDirectory: String?

    @Option(help: ArgumentHelp(setting: FlagKey.logLevel, valueName: "LEVEL"))
    var logLevel: String?

    @Option(help: ArgumentHelp(setting: FlagKey.logFormat, valueName: "FORMAT"))
    var logFormat: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("Any other key, for example functions.codeagents.triggerWait=1s.", valueName: "KEY=VALUE"))
    var settings: [String] = []

    /// Returns a function that reads the current configuration.
    func reader(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> @Sendable () async throws -> GatewayConfiguration {
        let flags = try flags()
        return { [config] in
            try await GatewayConfiguration.read(flags: flags, environment: environment, file: config)
        }
    }

    /// The keys of secrets given with `--set`, which every user of the machine can read.
    var exposedKeys: [String] {
        let settings = settings.map { $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) }
        let secrets = settings.filter { SettingTable.available.isSecret(String($0[0]), $0.last.map(String.init) ?? "") }
        return Set(secrets.map { String($0[0]) }).sorted()
    }

    private func flags() throws -> [String: String] {
        var flags: [String: String] = [:]
        for setting in settings {
            let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else {
                throw ValidationError("--set takes KEY=VALUE, for example http.requestTimeout=5s; got “\(setting)”.")
            }
            flags[parts[0]] = parts[1]
        }
        if !domains.isEmpty { flags[FlagKey.domains] = domains.joined(separator: ",") }
        let options = [
            FlagKey.host: host, FlagKey.port: port, FlagKey.dataDirectory: dataDirectory, FlagKey.logLevel: logLevel,
            FlagKey.logFormat: logFormat,
        ]
        return flags.merging(options.compactMapValues(\.self)) { $1 }
    }
}

/// The keys of the settings that have an option of their own.
private enum FlagKey {
    static let host = "http.host"
    static let port = "http.port"
    static let domains = "http.acme.domains"
    static let dataDirectory = "data.directory"
    static let logLevel = "log.level"
    static let logFormat = "log.format"
}

extension ArgumentHelp {
    /// The help of an option that sets a key.
    fileprivate init(setting key: String, valueName: String) {
        self.init(SettingTable.available.help(for: key), valueName: valueName)
    }
}
