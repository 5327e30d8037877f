import ArgumentParser
import FatalSignals
import Foundation
import Gateway
import Instance
import Logging
import Metrics
import Server
import ServiceLifecycle
import UnixSignals

/// The verb `serve`.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the gateway.",
        discussion: """
            Needs no configuration: by default it listens on 127.0.0.1:8080, keeps its data in ./pushgate-data, and \
            stores notifications in its own inbox instead of sending them (see “pushgate inbox”).

            Every key of docs/configuration.md can be set, in this order of precedence: an option of this verb; \
            “--set”; the environment (PUSHGATE_HTTP_PORT for http.port); the file given by --config; the default.

            Stops on SIGTERM and SIGINT, after completing requests in progress. On SIGHUP it reloads the configuration \
            and the keys of its apps; all settings but apps and keys need a restart.
            """)

    /// The time for a report of a crash, which takes some seconds.
    private static let crashReportSeconds: CUnsignedInt = 60

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        fatal_signals_end_the_process(Self.crashReportSeconds)
        LargeAllocations.goBackToTheSystem()
        let read = try options.reader()
        let configuration = try await read()
        let logger = configuration.log.bootstrapped()
        raiseDescriptorLimit(logger)
        for key in options.exposedKeys {
            logger.warning(
                "received a secret as an argument, which every user can read: set it in the environment or a file",
                metadata: ["key": "\(key)"])
        }
        for warning in configuration.warnings { logger.warning("found a setting without effect: \(warning)") }
        let metrics = PrometheusRegistry()
        MetricsSystem.bootstrap(metrics)
        let gateway = try Gateway.build(configuration, logger: logger, metrics: metrics)
        let records = GatewayRecords(environment: ProcessInfo.processInfo.environment)
        let directory = configuration.data.absoluteDirectory
        try await withThrowingTaskGroup(of: Bool.self) { group in
            var isRecorded = false
            defer { if isRecorded { records?.remove(directory) } }
            group.addTask {
                try await serviceGroup(gateway, ReloadOnHangUp(gateway: gateway, logger: logger, read: read), logger)
                    .run()
                return false
            }
            group.addTask {
                guard let addresses = await gateway.listening() else { return false }
                // Without a record, as for a service without a home, verbs find the gateway by its directory alone.
                if let records { try? records.note(directory) }
                print(Banner(gateway, at: addresses).text, terminator: "")
                fflush(nil)
                return true
            }
            while let result = try await group.next() { isRecorded = isRecorded || result }
        }
    }

    /// Raises the limit of file descriptors. Each connection needs one, and shells limit them to 1,024 or fewer.
    private func raiseDescriptorLimit(_ logger: Logger) {
        guard let (before, after) = DescriptorLimit.raise() else { return }
        if after == before {
            logger.info(
                "kept the limit of file descriptors, which is the highest permitted",
                metadata: ["now": "\(after.count)"])
        } else {
            logger.info(
                "raised the limit of file descriptors",
                metadata: ["before": "\(before.count)", "now": "\(after.count)"])
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
        // Work in progress may take as long as the deadline of APNs. Unfinished notifications are on disk and sent
        // later.
        configuration.maximumGracefulShutdownDuration = .seconds(10)
        return ServiceGroup(configuration: configuration)
    }
}

extension LogSection {
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
