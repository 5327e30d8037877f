package import DocumentStore
import HTTPTypes
import Logging
import Messaging
package import ServiceLifecycle

/// Tasks for people. An app requests something from a person by a link and is notified of the answer.
///
/// docs/functions/humantasks.md is the contract.
package struct HumanTasks: FunctionModule {
    let settings: HumanTasksSettings
    let store: any DocumentStore
    let outbox: Outbox
    let tokens: DeviceRegistry
    let mcpTokens: MCPTokens
    let presence: Presence
    let newDevices: FixedWindowLimiter
    let newTasks: FixedWindowLimiter
    let files: any FileStorage
    let uploads: UploadMemory
    let now: @Sendable () -> Timestamp
    /// Makes ids of tasks. The default ids are unguessable; tests replace them.
    package var makeID: @Sendable () -> String = TaskID.random
    let unreadable: UnreadableDocuments
    let logger: Logger

    /// The indexes that this module needs in its store.
    package static let fieldIndexes = [
        FieldIndex(collectionGroup: HumanTasksDocuments.tasks, field: FieldPath(HumanTask.Field.place), type: .string),
        FieldIndex(
            collectionGroup: HumanTasksDocuments.tasks, field: FieldPath(HumanTask.Field.endsAt), type: .timestamp),
    ]

    private static let photos = "photos"
    package static let fileStorages = [photos]

    package init(settings: HumanTasksSettings, services: ModuleServices) throws(StoreError) {
        self.settings = settings
        store = services.store
        outbox = services.outbox
        files = services.host.files(Self.photos)
        uploads = UploadMemory(settings.uploadBudgetBytes, freeBytes: Self.maximumBodyBytes)
        now = services.now
        logger = services.logger
        unreadable = UnreadableDocuments(logger: logger)
        mcpTokens = MCPTokens(key: services.host.secret("human-task-tokens"))
        tokens = DeviceRegistry(
            collection: try HumanTasksDocuments.tokens(),
            app: AppIdentity(bundleID: settings.bundleID, environment: settings.environment),
            store: services.store, reach: services.reach(of: Self.source), now: now, logger: logger)
        presence = Presence(store: services.store, clock: services.clock, now: now, logger: logger)
        newDevices = FixedWindowLimiter(limit: settings.newDevicesPerHourPerAddress, everySeconds: 60 * 60)
        newTasks = FixedWindowLimiter(limit: settings.newTasksPerHourPerDevice, everySeconds: 60 * 60)
    }

    package static let name = "human tasks"
    package static let source = "humantasks"
    package static var deviceCollection: String? { try? HumanTasksDocuments.tokens().description }

    package var endpoints: [Endpoint] {
        [
            group.endpoint(.post, "/api/devices/register", registerDevice),
            group.endpoint(.get, "/api/devices/{device}", showDevice),
            group.endpoint(.post, "/api/devices/{device}/apns-token", storeToken),
            group.endpoint(.post, "/api/devices/{device}/heartbeat", beat),
            group.endpoint(.post, "/api/hits", createTask),
            group.endpoint(.get, "/api/hits", listTasks),
            group.endpoint(.post, "/api/hits/bulk-delete", deleteTasks),
            group.endpoint(.get, "/api/hits/{hit}", showTask),
            group.endpoint(.delete, "/api/hits/{hit}", deleteTask),
            group.endpoint(.patch, "/api/hits/{hit}/complete", completeTask),
            group.endpoint(.post, "/api/hits/{hit}/respond", respond),
            group.endpoint(.get, "/api/hits/{hit}/responses", listResponses),
            group.endpoint(.post, "/api/hits/{hit}/upload", upload),
            group.endpoint(.post, "/api/hits/{hit}/photos", addPhotos),
            group.endpoint(.get, "/api/hits/{hit}/photos", listPhotos),
            group.endpoint(.get, "/api/hits/{hit}/photos/{photo}", showPhoto),
        ] + pageEndpoints
    }

    /// The responses at paths without an endpoint. The paths of single devices belong to this module, although other
    /// modules have endpoints below `/api/devices`.
    package var fallbacks: [Fallback] {
        let prefixes: [PathPattern] = ["/api", "/api/hits", "/api/devices", "/api/devices/{device}"]
        return [group.fallback(below: prefixes, .notFound), pageFallback]
    }

    package var jobs: [ScheduledJob] {
        [ScheduledJob(name: "humantasks-clean-up", interval: .seconds(24 * 60 * 60), run: cleanUp)]
    }

    package var services: [any Service] { [presence] }
}

/// The shared parts of the endpoints: the limit of bodies, and the form of errors.
extension HumanTasks {
    /// The maximum size of a body without photos, in bytes.
    static let maximumBodyBytes = 64 * 1024

    var group: EndpointGroup<HumanTasksError> { EndpointGroup("humantasks", HumanTasksError.self, logger: logger) }
}
