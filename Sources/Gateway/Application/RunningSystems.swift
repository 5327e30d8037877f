internal import DocumentStore
internal import Functions
internal import Logging
internal import Messaging
internal import ServiceLifecycle

/// The systems that are switched on, created with the services that each needs from the gateway.
struct RunningSystems {
    private(set) var modules: [any FunctionModule]
    private var ways: [any Service] = []

    /// Returns the indexes that the systems need in the store. Each index makes every commit a little slower, so
    /// systems that are off get none.
    static func fieldIndexes(of systems: GatewayConfiguration.Systems) -> [FieldIndex] {
        [
            systems.runs.map { _ in Runs.fieldIndexes }, systems.turns.map { _ in Turns.fieldIndexes },
            systems.sessions.map { _ in Sessions.fieldIndexes },
            systems.humanTasks.map { _ in HumanTasks.fieldIndexes },
        ].compactMap(\.self).flatMap(\.self)
    }

    init(
        _ systems: GatewayConfiguration.Systems, store: any DocumentStore, outbox: Outbox, broadcaster: Broadcaster,
        directory: DataDirectory, space: DiskSpace, key: GatewayKey,
        isAppConfigured: @escaping @Sendable (_ bundleID: String) -> Bool, logger: Logger
    ) throws {
        modules = [
            CodeAgents(
                configuration: systems.codeAgents, store: store, broadcaster: broadcaster,
                isAppConfigured: isAppConfigured, logger: logger)
        ]
        if let configuration = systems.runs {
            modules.append(try Runs(configuration: configuration, store: store, outbox: outbox, logger: logger))
        }
        if let configuration = systems.turns {
            let web = WebClient(atOnce: 2 * configuration.requestsAtOnce, logger: logger)
            ways.append(web)
            modules.append(
                try Turns(configuration: configuration, store: store, outbox: outbox, fetcher: web, logger: logger))
        }
        if let configuration = systems.sessions {
            modules.append(
                try Sessions(
                    configuration: configuration, store: store, outbox: outbox, version: GatewayVersion.current,
                    logger: logger))
        }
        if let configuration = systems.humanTasks {
            modules.append(
                try HumanTasks(
                    configuration: configuration, store: store, outbox: outbox,
                    files: AdmittingFiles(base: FolderFiles("photos", in: directory), space: space),
                    tokenKey: key.humanTaskTokens, logger: logger))
        }
    }

    /// The names of the systems, for the start banner.
    var names: [String] { modules.map(\.name) }
    var jobs: [ScheduledJob] { modules.flatMap(\.jobs) }
    /// The systems' background services, preceded by the services that they depend on.
    var services: [any Service] { ways + modules.flatMap(\.services) }
}
