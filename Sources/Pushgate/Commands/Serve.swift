import ArgumentParser
import Foundation
import Gateway
import Logging
import Metrics
import ServiceLifecycle
import UnixSignals

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the gateway.",
        discussion: """
            Needs no configuration: without one it listens on 127.0.0.1:8080, keeps its data in ./pushgate-data, and \
            puts notifications into an inbox of its own instead of sending them (see “pushgate inbox”).

            Every key of docs/configuration.md can be given, in this order of precedence: a flag here; “--set”; the \
            environment, as PUSHGATE_HTTP_PORT for http.port; the file of --config; the default.

            Stops on SIGTERM and SIGINT, after finishing what is under way. On SIGHUP it reads the configuration and the \
            keys of its apps anew; all but apps and keys needs a restart.
            """)

    @Option(help: "A YAML file with the configuration; docker/pushgate.yaml is a sample.")
    var config: String?

    @Option(help: "The address to listen on (http.host, 127.0.0.1).")
    var host: String?

    @Option(help: "The port to listen on, 0 for any (http.port, 8080).")
    var port: String?

    @Option(help: "Where to keep the data (data.directory, ./pushgate-data).")
    var dataDirectory: String?

    @Option(help: "trace, debug, info, notice, warning, error or critical (log.level, info).")
    var logLevel: String?

    @Option(help: "human or json (log.format, human).")
    var logFormat: String?

    @Option(name: .customLong("set"), help: "Any other key, as in functions.codeagents.triggerWait=1s.")
    var settings: [String] = []

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        let flags = try flags()
        let read: @Sendable () async throws -> GatewayConfiguration = { [config] in
            try await GatewayConfiguration.read(
                flags: flags, environment: ProcessInfo.processInfo.environment, file: config)
        }
        let configuration = try await read()
        let logger = configuration.log.bootstrapped()
        let metrics = PrometheusRegistry()
        MetricsSystem.bootstrap(metrics)
        let gateway = try Gateway.build(configuration, logger: logger, metrics: metrics)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await serviceGroup(gateway, ReloadOnHangUp(gateway: gateway, logger: logger, read: read), logger)
                    .run()
            }
            group.addTask {
                guard let addresses = await gateway.listening() else { return }
                print(Banner(gateway, at: addresses).text, terminator: "")
                fflush(nil)
            }
            try await group.next()
            try await group.next()
        }
    }

    private func flags() throws -> [String: String] {
        var flags: [String: String] = [:]
        for setting in settings {
            let parts = setting.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                throw ValidationError("--set takes KEY=VALUE, as in http.requestTimeout=5s; got “\(setting)”.")
            }
            flags[parts[0]] = parts[1]
        }
        flags["http.host"] = host ?? flags["http.host"]
        flags["http.port"] = port ?? flags["http.port"]
        flags["data.directory"] = dataDirectory ?? flags["data.directory"]
        flags["log.level"] = logLevel ?? flags["log.level"]
        flags["log.format"] = logFormat ?? flags["log.format"]
        return flags
    }

    private func serviceGroup(_ gateway: Gateway, _ reload: ReloadOnHangUp, _ logger: Logger) -> ServiceGroup {
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        var configuration = ServiceGroupConfiguration(
            services: [
                .init(service: reload),
                .init(service: gateway, successTerminationBehavior: .gracefullyShutdownGroup),
            ],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet)
        // What is under way may take as long as APNs' deadline; what does not end by then is on disk, and sent later.
        configuration.maximumGracefulShutdownDuration = .seconds(10)
        return ServiceGroup(configuration: configuration)
    }
}

extension GatewayConfiguration.Log {
    fileprivate func bootstrapped() -> Logger {
        LoggingSystem.bootstrap { label in
            switch format {
            case .human: StreamLogHandler.standardError(label: label)
            case .json: JSONLogHandler(label: label)
            }
        }
        var logger = Logger(label: "pushgate")
        logger.logLevel = level
        return logger
    }
}
