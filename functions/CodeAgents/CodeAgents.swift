public import DocumentStore
public import Logging
public import Messaging

/// The push gateway of coding agents: phones subscribe to an agent, the agent's server reports a finished run.
///
/// The contract is docs/functions/codeagents.md.
public struct CodeAgents: FunctionModule {
    let configuration: CodeAgentsConfiguration
    let store: any DocumentStore
    let broadcaster: Broadcaster
    let limits: RequestLimits
    let isAppConfigured: @Sendable (_ bundleID: String) -> Bool
    let knownDevices = KnownDevices()
    /// New devices, which are counted one after the other for each server, and the places they have taken since.
    let newDevices = KeyedQueue()
    let places = Places()
    let clock: any Clock<Duration>
    let now: @Sendable () -> Timestamp
    let logger: Logger

    /// - Parameter isAppConfigured: returns whether the gateway sends for the app of a bundle id.
    public init(
        configuration: CodeAgentsConfiguration, store: any DocumentStore, broadcaster: Broadcaster,
        isAppConfigured: @escaping @Sendable (_ bundleID: String) -> Bool = { _ in true },
        clock: any Clock<Duration> = .continuous, now: @escaping @Sendable () -> Timestamp = { .now }, logger: Logger
    ) {
        self.configuration = configuration
        self.store = store
        self.broadcaster = broadcaster
        limits = RequestLimits(configuration)
        self.isAppConfigured = isAppConfigured
        self.clock = clock
        self.now = now
        self.logger = logger
    }

    public var name: String { "coding agents" }

    public var functions: [HTTPSFunction] {
        [
            function("registerSubscription", registerSubscription),
            function("unregisterSubscription", unregisterSubscription),
            function("triggerReplyFinished", triggerReplyFinished),
        ]
    }

    /// The paths below a function, in each of the shapes in which functions are served.
    public var fallbacks: [Fallback] {
        let answer = CodeAgentsError.answering(in: "codeagents", logger) { _ in throw CodeAgentsError.notFound }
        return functions.map { function in
            let paths = ["", "/{prefix}", "/{project}/{region}"].map { "\($0)/\(function.name)" }
            return Fallback(below: paths.map { PathPattern(stringLiteral: $0) }, handle: answer)
        }
    }

    public var jobs: [ScheduledJob] {
        [ScheduledJob(name: "codeagents-clean-up", interval: .seconds(24 * 60 * 60), run: cleanUp)]
    }
}
