package import Functions
package import GRPC
import Gateway
package import Messaging
import ServiceLifecycle
package import TestDoubles

/// Runs a gateway for the duration of the body, and shuts it down even if the body throws.
///
/// Unless the settings say otherwise, the gateway listens on any free port, keeps its data in a temporary directory
/// and has no rate limits.
///
/// - Parameters:
///   - settings: settings by key, as in a configuration.
///   - simulator: the stand-in for Apple; without it notifications go to the gateway's inbox.
///   - directory: the data directory, if it outlives the gateway.
///   - file: a file of more settings.
///   - modules: the systems that can be switched on.
///   - services: the push services that can be switched on.
///   - grpc: the methods over gRPC, if they differ from the gateway's own.
///   - log: the log that collects the gateway's lines.
package func withGateway<Output>(
    _ settings: [String: String] = [:], simulator: RunningSimulator? = nil, in directory: String? = nil,
    file: String? = nil, modules: [any FunctionModule.Type] = EnabledModules.available,
    services: PushServiceTable = .available, grpc: GRPCRouter? = nil, log: CollectedLog = CollectedLog(),
    _ body: (RunningGateway) async throws -> Output
) async throws -> Output {
    guard let directory else {
        return try await withDataDirectory {
            try await withGateway(
                settings, simulator: simulator, in: $0, file: file, modules: modules, services: services,
                grpc: grpc, log: log, body)
        }
    }
    let flags = TestSettings.base
        .merging(simulator?.gatewaySettings ?? [:]) { $1 }
        .merging(["data.directory": directory]) { $1 }
        .merging(try await TestStore.settings(for: directory)) { $1 }
        .merging(settings) { $1 }
    let configuration = try await GatewayConfiguration.read(
        flags: flags, environment: [:], file: file, modules: modules, services: services)
    var gateway = try Gateway.build(configuration, logger: log.logger)
    if let grpc { gateway.grpc = grpc }
    return try await running(gateway, log, body)
}

private func running<Output>(
    _ gateway: Gateway, _ log: CollectedLog, _ body: (RunningGateway) async throws -> Output
) async throws -> Output {
    let services = ServiceGroup(configuration: .forTest(of: gateway, log))
    return try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask { try await services.run() }
        guard let url = await gateway.url() else {
            try await tasks.waitForAll()
            throw GatewayNeverListened()
        }
        let result: Result<Output, any Error>
        do {
            result = .success(
                try await Caller.calling(url, logger: log.logger) { caller in
                    try await body(RunningGateway(gateway: gateway, caller: caller, log: log))
                })
        } catch {
            result = .failure(error)
        }
        await services.triggerGracefulShutdown()
        try await tasks.waitForAll()
        return try result.get()
    }
}

/// An error for a gateway that ended without an error before it listened.
struct GatewayNeverListened: Error {}

extension ServiceGroupConfiguration {
    /// Returns a configuration with a short shutdown, because some tests make requests hang on purpose.
    fileprivate static func forTest(of gateway: Gateway, _ log: CollectedLog) -> ServiceGroupConfiguration {
        var configuration = ServiceGroupConfiguration(
            services: [.init(service: gateway, successTerminationBehavior: .gracefullyShutdownGroup)],
            logger: log.logger)
        configuration.maximumGracefulShutdownDuration = .seconds(2)
        return configuration
    }
}
