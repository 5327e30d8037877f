public import ServiceLifecycle

/// A system that runs on the gateway: what is called over HTTP, its scheduled jobs, and what it does all the time.
public protocol FunctionModule: Sendable {
    /// For people: `coding agents`.
    var name: String { get }
    /// Called by name, as Cloud Functions are.
    var functions: [HTTPSFunction] { get }
    /// Called by method and path, as an API has them.
    var endpoints: [Endpoint] { get }
    var fallbacks: [Fallback] { get }
    var jobs: [ScheduledJob] { get }
    /// What runs for as long as the gateway does.
    var services: [any Service] { get }
}

extension FunctionModule {
    public var functions: [HTTPSFunction] { [] }
    public var endpoints: [Endpoint] { [] }
    public var fallbacks: [Fallback] { [] }
    public var jobs: [ScheduledJob] { [] }
    public var services: [any Service] { [] }
}

/// A function called over HTTP, at `/<name>` and at the Firebase emulator's `/<project>/<region>/<name>`.
public struct HTTPSFunction: Sendable {
    public let name: String
    /// Answers every request, of whatever method: a function has errors of its own form to answer with.
    public let handle: @Sendable (FunctionRequest) async -> FunctionResponse

    public init(name: String, handle: @escaping @Sendable (FunctionRequest) async -> FunctionResponse) {
        self.name = name
        self.handle = handle
    }
}

/// Work done again and again, at an interval that holds across restarts.
public struct ScheduledJob: Sendable {
    /// Unique among all modules, `codeagents-clean-up`; the job's last run is stored under it.
    public let name: String
    public let interval: Duration
    public let run: @Sendable () async throws -> Void

    public init(name: String, interval: Duration, run: @escaping @Sendable () async throws -> Void) {
        self.name = name
        self.interval = interval
        self.run = run
    }
}
