public import DocumentStore
internal import HTTPTypes
public import Logging
public import Messaging
public import ServiceLifecycle

/// Runs of an agent, as a server reports them: what waits for an approval is said to all phones, and said again until
/// somebody decides.
///
/// The contract is docs/functions/runs.md.
public struct Runs: FunctionModule {
    let configuration: RunsConfiguration
    let store: any DocumentStore
    let outbox: Outbox
    let devices: DeviceRegistry
    let escalation: DueDocuments
    let authentication = AuthenticationLimiter()
    let now: @Sendable () -> Timestamp
    let logger: Logger

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

    /// Keys are asked for before anything else, whatever the path.
    public var fallbacks: [Fallback] {
        let handle = answering { _ in throw RunsError.nothingHere }
        return [Fallback(below: ["/api/devices", "/api/events"], handle: handle)]
    }

    public var jobs: [ScheduledJob] {
        [ScheduledJob(name: "runs-clean-up", interval: .seconds(24 * 60 * 60), run: cleanUp)]
    }

    public var services: [any Service] { [escalation] }
}
