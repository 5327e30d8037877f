public import DocumentStore
internal import HTTPTypes
public import Logging
public import Messaging
public import ServiceLifecycle

/// The runs of an agent, as a server reports them. A pending approval is notified to all devices, with reminders
/// until it is resolved.
///
/// docs/functions/runs.md is the contract.
public struct Runs: FunctionModule {
    let configuration: RunsConfiguration
    let store: any DocumentStore
    let outbox: Outbox
    let devices: DeviceRegistry
    let escalation: DueDocuments
    let authentication = AuthenticationLimiter()
    let now: @Sendable () -> Timestamp
    let logger: Logger

    /// - Parameters:
    ///   - clock: The clock for waits; tests pass their own.
    ///   - now: The current time; tests pass their own.
    public init(
        configuration: RunsConfiguration, store: any DocumentStore, outbox: Outbox,
        clock: any Clock<Duration> = .continuous, now: @escaping @Sendable () -> Timestamp = { .now }, logger: Logger
    ) throws(StoreError) {
        self.configuration = configuration
        self.store = store
        self.outbox = outbox
        self.now = now
        self.logger = logger
        let devices = DeviceRegistry(
            collection: try RunsDocuments.devices(),
            app: AppIdentity(bundleID: configuration.bundleID, environment: configuration.environment), store: store,
            now: now, logger: logger)
        self.devices = devices
        let reminders = ApprovalReminders(
            delays: configuration.reminders, outbox: outbox, devices: devices, store: store)
        escalation = DueDocuments(
            "runs-escalation", in: try RunsDocuments.approvals(), by: Approval.Field.dueAt, store: store, clock: clock,
            now: now, logger: logger
        ) { try await reminders.remind(of: $0) }
    }

    public var name: String { "runs" }

    public var endpoints: [Endpoint] {
        [
            endpoint(.post, "/api/devices", registerDevice),
            endpoint(.delete, "/api/devices/{token}", unregisterDevice),
            endpoint(.post, "/api/events", takeEvent),
        ]
    }

    /// Paths without an endpoint also require a key.
    public var fallbacks: [Fallback] {
        let handle = answering { _ in throw RunsError.nothingHere }
        return [Fallback(below: ["/api/devices", "/api/events"], handle: handle)]
    }

    public var jobs: [ScheduledJob] {
        [ScheduledJob(name: "runs-clean-up", interval: .seconds(24 * 60 * 60), run: cleanUp)]
    }

    public var services: [any Service] { [escalation] }
}

/// The settings of runs. docs/functions/runs.md describes them.
public struct RunsConfiguration: Hashable, Sendable {
    /// The keys for the endpoints; each of them opens every endpoint.
    public var apiKeys: APIKeys = []
    /// The delays of the reminders after the first notification of an approval, at most two.
    public var reminders: [Duration] = [.seconds(15 * 60), .seconds(60 * 60)]
    /// The app's bundle id; `nil` for the first app in the gateway's configuration.
    public var bundleID: String?
    /// The APNs environment of the devices; `nil` for the app's.
    public var environment: APNsEnvironment?

    /// The default settings.
    public init() {}
}

/// The scheduled clean-up, which removes records of events that were processed long ago.
extension Runs {
    private static let maximumAge = Duration.seconds(30 * 24 * 60 * 60)

    @Sendable func cleanUp() async throws {
        let cutoff = now().adding(.zero - Self.maximumAge)
        try await store.deleteDocuments(
            in: .collection(try RunsDocuments.events()), whose: RunsDocuments.receivedAt, isBefore: cutoff)
        try await store.deleteDocuments(
            in: .collection(try RunsDocuments.approvals()), whose: Approval.Field.resolvedAt, isBefore: cutoff)
        try await store.deleteDocuments(
            in: .collection(try RunsDocuments.runs()), whose: Run.Field.lastSeenAt, isBefore: cutoff)
    }
}
