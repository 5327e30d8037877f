public import DocumentStore
internal import HTTPTypes
public import Logging
public import Messaging
public import ServiceLifecycle

/// Tasks for people: an app asks somebody for something by a link, and is told when it is done.
///
/// The contract is docs/functions/humantasks.md.
public struct HumanTasks: FunctionModule {
    let configuration: HumanTasksConfiguration
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
    let makeID: @Sendable () -> String
    let unreadable: UnreadableDocuments
    let logger: Logger

    /// The indexes this module asks of its store.
    public static let fieldIndexes = [
        FieldIndex(collectionGroup: HumanTasksDocuments.hits, field: FieldPath(Hit.Field.place), type: .string),
        FieldIndex(collectionGroup: HumanTasksDocuments.hits, field: FieldPath(Hit.Field.endsAt), type: .timestamp),
    ]

    /// - Parameters:
    ///   - files: where photos go.
    ///   - tokenKey: 32 secret bytes, with which tokens are made; with others all tokens are void.
    ///   - makeID: makes ids of tasks; those of the default nobody can guess.
    public init(
        configuration: HumanTasksConfiguration, store: any DocumentStore, outbox: Outbox, files: any FileStorage,
        tokenKey: [UInt8],
        clock: any Clock<Duration> = .continuous, now: @escaping @Sendable () -> Timestamp = { .now },
        makeID: (@Sendable () -> String)? = nil, logger: Logger
    ) throws(StoreError) {
        self.configuration = configuration
        self.store = store
        self.outbox = outbox
        self.files = files
        uploads = UploadMemory(configuration.uploadBudgetBytes, freeBytes: Self.maximumBodyBytes)
        self.now = now
        self.makeID = makeID ?? HitID.random
        self.logger = logger
        unreadable = UnreadableDocuments(logger: logger)
        mcpTokens = MCPTokens(key: tokenKey)
        tokens = DeviceRegistry(
            collection: try HumanTasksDocuments.tokens(),
            app: AppIdentity(bundleID: configuration.bundleID, environment: configuration.environment), store: store,
            now: now, logger: logger)
        presence = Presence(store: store, clock: clock, now: now, logger: logger)
        newDevices = FixedWindowLimiter(limit: configuration.newDevicesPerHourPerAddress, everySeconds: 60 * 60)
        newTasks = FixedWindowLimiter(limit: configuration.newTasksPerHourPerDevice, everySeconds: 60 * 60)
    }

    public var name: String { "human tasks" }

    public var endpoints: [Endpoint] {
        [
            endpoint(.post, "/api/devices/register", registerDevice),
            endpoint(.get, "/api/devices/{device}", showDevice),
            endpoint(.post, "/api/devices/{device}/apns-token", storeToken),
            endpoint(.post, "/api/devices/{device}/heartbeat", beat),
            endpoint(.post, "/api/hits", createHit),
            endpoint(.get, "/api/hits", listHits),
            endpoint(.post, "/api/hits/bulk-delete", deleteHits),
            endpoint(.get, "/api/hits/{hit}", showHit),
            endpoint(.delete, "/api/hits/{hit}", deleteHit),
            endpoint(.patch, "/api/hits/{hit}/complete", completeHit),
            endpoint(.post, "/api/hits/{hit}/respond", respond),
            endpoint(.get, "/api/hits/{hit}/responses", listResponses),
            endpoint(.post, "/api/hits/{hit}/upload", upload),
            endpoint(.post, "/api/hits/{hit}/photos", addPhotos),
            endpoint(.get, "/api/hits/{hit}/photos", listPhotos),
            endpoint(.get, "/api/hits/{hit}/photos/{photo}", showPhoto),
        ] + pageEndpoints
    }

    /// A device's own paths are this module's, whoever else has endpoints below `/api/devices`.
    public var fallbacks: [Fallback] {
        let answer = endpoint(.get, "/api") { _ in throw HumanTasksError.notFound }
        let prefixes: [PathPattern] = ["/api", "/api/hits", "/api/devices", "/api/devices/{device}"]
        return [Fallback(below: prefixes, handle: answer.handle), pageFallback]
    }

    public var jobs: [ScheduledJob] {
        [ScheduledJob(name: "humantasks-clean-up", interval: .seconds(24 * 60 * 60), run: cleanUp)]
    }

    public var services: [any Service] { [presence] }
}
