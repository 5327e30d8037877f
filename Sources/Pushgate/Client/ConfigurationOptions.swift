import ArgumentParser
import Foundation
import Gateway

/// The options of a verb that reads a gateway's configuration instead of talking to a running gateway.
struct ConfigurationOptions: ParsableArguments {
    @Option(help: "A YAML file with the configuration; docker/pushgate.yaml is a sample.")
    var config: String?

    @Option(help: "The address to listen on (http.host, 127.0.0.1).")
    var host: String?

    @Option(help: "The port to listen on, 0 for any free port (http.port, 8080).")
    var port: String?

    @Option(
        name: .customLong("domain"),
        help: """
            A name of this machine, such as push.example.com: serve HTTPS on port 443 with a certificate from Let's \
            Encrypt, whose terms of service you accept. May be repeated (http.acme.domains).
            """)
    var domains: [String] = []

    @Option(help: "The data directory (data.directory, ./pushgate-data).")
    var dataDirectory: String?

    @Option(help: "The log level: trace, debug, info, notice, warning, error or critical (log.level, info).")
    var logLevel: String?

    @Option(help: "The log format: human or json (log.format, human).")
    var logFormat: String?

    @Option(name: .customLong("set"), help: "Any other key, for example functions.codeagents.triggerWait=1s.")
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
        let secrets = settings.filter { GatewayConfiguration.isSecret(String($0[0]), $0.last.map(String.init) ?? "") }
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
        flags["http.host"] = host ?? flags["http.host"]
        flags["http.port"] = port ?? flags["http.port"]
        if !domains.isEmpty { flags["http.acme.domains"] = domains.joined(separator: ",") }
        flags["data.directory"] = dataDirectory ?? flags["data.directory"]
        flags["log.level"] = logLevel ?? flags["log.level"]
        flags["log.format"] = logFormat ?? flags["log.format"]
        return flags
    }
}
