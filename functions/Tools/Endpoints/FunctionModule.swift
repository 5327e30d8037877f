public import ServiceLifecycle

/// A system that runs on the gateway: its HTTP endpoints, scheduled jobs and services.
public protocol FunctionModule: Sendable {
    /// The name for people, such as `coding agents`.
    var name: String { get }
    /// The functions that clients call by name, as Cloud Functions.
    var functions: [HTTPSFunction] { get }
    /// The endpoints that clients call by method and path.
    var endpoints: [Endpoint] { get }
    /// The responses at paths of the module that have no endpoint.
    var fallbacks: [Fallback] { get }
    /// The work that runs at intervals.
    var jobs: [ScheduledJob] { get }
    /// The services that run as long as the gateway.
    var services: [any Service] { get }
}

extension FunctionModule {
    public var functions: [HTTPSFunction] { [] }
    public var endpoints: [Endpoint] { [] }
    public var fallbacks: [Fallback] { [] }
    public var jobs: [ScheduledJob] { [] }
    public var services: [any Service] { [] }
}

/// A function that clients call over HTTP, at `/<name>` and at the Firebase emulator's `/<project>/<region>/<name>`.
public struct HTTPSFunction: Sendable {
    /// The function's name, which is the last segment of its path.
    public let name: String
    /// Handles requests of every method, because a function has an error format of its own.
    public let handle: @Sendable (FunctionRequest) async -> FunctionResponse

    /// - Parameter handle: The function that responds. It must turn its errors into responses.
    public init(name: String, handle: @escaping @Sendable (FunctionRequest) async -> FunctionResponse) {
        self.name = name
        self.handle = handle
    }
}

/// Work that runs at an interval. The interval continues across restarts.
public struct ScheduledJob: Sendable {
    /// A name unique among all modules, such as `codeagents-clean-up`. The time of the last run is stored under it.
    public let name: String
    /// The time between two runs.
    public let interval: Duration
    /// The work. An error is logged, and the job is retried after a tenth of its interval.
    public let run: @Sendable () async throws -> Void

    /// - Parameter name: A name unique among all modules.
    public init(name: String, interval: Duration, run: @escaping @Sendable () async throws -> Void) {
        self.name = name
        self.interval = interval
        self.run = run
    }
}
