public import DocumentStore
internal import HTTPTypes
public import Logging
public import Messaging
public import ServiceLifecycle

/// Tasks for people. An app requests something from a person by a link and is notified of the answer.
///
/// docs/functions/humantasks.md is the contract.
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

    /// The indexes that this module needs in its store.
    public static let fieldIndexes = [
        FieldIndex(collectionGroup: HumanTasksDocuments.hits, field: FieldPath(Hit.Field.place), type: .string),
        FieldIndex(collectionGroup: HumanTasksDocuments.hits, field: FieldPath(Hit.Field.endsAt), type: .timestamp),
    ]

    /// - Parameters:
    ///   - files: The storage for photos.
    ///   - tokenKey: The 32 secret bytes from which tokens are derived; a different key invalidates all tokens.
    ///   - makeID: Makes ids of tasks; the default ids are unguessable.
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

    /// The responses at paths without an endpoint. The paths of single devices belong to this module, although other
    /// modules have endpoints below `/api/devices`.
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

/// The settings of human tasks. docs/functions/humantasks.md describes them.
public struct HumanTasksConfiguration: Hashable, Sendable {
    /// The beginning of links to tasks, without a slash at its end; `nil` for the origin of the request.
    public var publicURL: String?
    /// The time in which a task can be answered.
    public var lifetime = Duration.seconds(7 * 24 * 60 * 60)
    /// The time that a task is kept, with its answers and photos, after it has ended.
    public var retention = Duration.seconds(30 * 24 * 60 * 60)
    /// The maximum size of a photo, in bytes.
    public var maximumPhotoBytes = 10 * 1024 * 1024
    /// The maximum number of photos per task.
    public var maximumPhotos = 20
    /// The maximum number of new devices that one address may register per hour; 0 removes the limit.
    public var newDevicesPerHourPerAddress = 20
    /// The maximum number of tasks that one device may create per hour; 0 removes the limit.
    public var newTasksPerHourPerDevice = 60
    /// The app's bundle id; `nil` for the first app in the gateway's configuration.
    public var bundleID: String?
    /// The APNs environment of the devices; `nil` for the app's.
    public var environment: APNsEnvironment?

    /// The default settings.
    public init() {}
}

/// The limits of uploads, derived from the settings.
extension HumanTasksConfiguration {
    private static let severalPhotosBytes = 64 * 1024 * 1024
    /// The number of the largest uploads that fit in memory at the same time. Uploads are read into memory as a
    /// whole.
    private static let largestUploadsAtOnce = 4

    /// The maximum total size of the photos in one request, in bytes: several photos, as a form sends them, or one.
    var maximumPhotosAtOnceBytes: Int { min(largestPhotosBytes, maximumPhotoBytes * max(1, maximumPhotos)) }

    /// The maximum size of a body, in bytes.
    public var maximumUploadBytes: Int { maximumPhotosAtOnceBytes + HumanTasks.maximumBodyBytes }

    /// The memory for all uploads together, in bytes.
    var uploadBudgetBytes: Int { (largestPhotosBytes + HumanTasks.maximumBodyBytes) * Self.largestUploadsAtOnce }

    private var largestPhotosBytes: Int { max(maximumPhotoBytes, Self.severalPhotosBytes) }
}
