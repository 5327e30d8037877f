package import DocumentStore
import HTTPTypes
import Logging
import Messaging
package import ServiceLifecycle

/// The runs of an agent, as a server reports them. A pending approval is notified to all devices, with reminders
/// until it is resolved.
///
/// docs/functions/runs.md is the contract.
package struct Runs: FunctionModule {
    let settings: RunsSettings
    let store: any DocumentStore
    let outbox: Outbox
    /// The Live Activities; `nil` for none.
    let cards: Cards?
    /// The recorder of events for programs of the operator; `nil` for none.
    let events: (any DeliveryEventRecorder)?
    let devices: DeviceRegistry
    let escalation: DueDocuments
    let decisions: ApprovalDecisions
    let authentication = AuthenticationLimiter()
    let now: @Sendable () -> Timestamp
    let logger: Logger

    package init(settings: RunsSettings, services: ModuleServices) throws(StoreError) {
        self.settings = settings
        store = services.store
        outbox = services.outbox
        cards = services.cards
        events = services.events
        now = services.now
        logger = services.logger
        let decisions = ApprovalDecisions(isShared: services.isShared, clock: services.clock)
        self.decisions = decisions
        let devices = DeviceRegistry(
            collection: try RunsDocuments.devices(),
            app: AppIdentity(bundleID: settings.bundleID, environment: settings.environment),
            store: store, reach: services.reach(of: Self.source), now: now, logger: logger)
        self.devices = devices
        let reminders = ApprovalReminders(
            delays: settings.reminders, outbox: outbox, devices: devices,
            cards: ApprovalCards(cards: cards, store: store), decisions: decisions, store: store, now: now)
        escalation = DueDocuments(
            "runs-escalation", in: try RunsDocuments.approvals(), by: Approval.Field.dueAt, store: store,
            isShared: services.isShared, clock: services.clock, now: now, logger: logger
        ) { try await reminders.remind(of: $0) }
    }

    package static let name = "runs"
    package static let source = "runs"
    package static let paths: [PathPattern] = ["/api/devices", "/api/events", "/api/approvals"]
    package static let registrationCollection: String? = RunsDocuments.devicesID
    package var deviceList: DeviceList? { devices.list(of: Self.name) }

    package var endpoints: [Endpoint] {
        [
            group.endpoint(.post, "/api/devices", registerDevice).forPages,
            group.endpoint(.delete, "/api/devices/{token}", unregisterDevice).forPages,
            group.endpoint(.post, "/api/events", takeEvent),
            group.endpoint(.get, "/api/approvals/{id}", readApproval),
            group.endpoint(.post, "/api/approvals/{id}", decideApproval),
        ]
    }

    /// Paths without an endpoint also require a key.
    package var fallbacks: [Fallback] {
        [group.fallback(below: Self.paths, .nothingHere)]
    }

    package var jobs: [ScheduledJob] {
        [
            ScheduledJob(name: "runs-clean-up", interval: .seconds(24 * 60 * 60), run: cleanUp),
            ScheduledJob(upgrading: devices),
        ]
    }

    package var duties: [any Service] { [escalation] }
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
