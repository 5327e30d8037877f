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

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        let read = try options.reader()
        let configuration = try await read()
        let logger = configuration.log.bootstrapped()
        raiseDescriptorLimit(logger)
        for key in options.exposedKeys {
            logger.warning(
                "every user of this machine can read a secret that is an argument: give it in the environment or a file",
                metadata: ["key": "\(key)"])
        }
        for warning in GatewayConfiguration.unknownVariables(in: ProcessInfo.processInfo.environment) {
            logger.warning("\(warning)")
        }
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

    /// A connection is a descriptor, and shells give 1,024 or fewer.
    private func raiseDescriptorLimit(_ logger: Logger) {
        guard let (before, after) = DescriptorLimit.raise() else { return }
        if after == before {
            logger.info(
                "the limit of descriptors is the highest that this process may set", metadata: ["now": "\(after.count)"]
            )
        } else {
            logger.info(
                "raised the limit of descriptors", metadata: ["before": "\(before.count)", "now": "\(after.count)"])
        }
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
            case .human: HumanLogHandler(label: label)
            case .json: JSONLogHandler(label: label)
            }
        }
        var logger = Logger(label: "pushgate")
        logger.logLevel = level
        return logger
    }
}
