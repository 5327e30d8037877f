public import DocumentStore
internal import HTTPTypes
public import Logging
public import Messaging

/// Coding sessions, as the hooks of an agent report them. The events are stored for the app to read. All phones are
/// notified if a session stops, waits for a permission or is idle.
///
/// docs/functions/sessions.md is the contract.
public struct Sessions: FunctionModule {
    let configuration: SessionsConfiguration
    let store: any DocumentStore
    let outbox: Outbox
    let phones: DeviceRegistry
    let keys: SessionKeys
    let authentication = AuthenticationLimiter()
    let version: String
    let now: @Sendable () -> Timestamp
    let logger: Logger

    /// - Parameter version: The server's version, as clients receive it.
    public init(
        configuration: SessionsConfiguration, store: any DocumentStore, outbox: Outbox, version: String,
        now: @escaping @Sendable () -> Timestamp = { .now }, logger: Logger
    ) throws(StoreError) {
        self.configuration = configuration
        self.store = store
        self.outbox = outbox
        self.version = version
        self.now = now
        self.logger = logger
        keys = SessionKeys(store: store, now: now, logger: logger)
        phones = DeviceRegistry(
            collection: try SessionsDocuments.phones(),
            app: AppIdentity(bundleID: configuration.bundleID, environment: .production), store: store, now: now,
            logger: logger)
    }

    public var name: String { "coding sessions" }

    public var endpoints: [Endpoint] {
        [
            endpoint(.get, "/api/v1/ping", needs: .scoped(.read), ping),
            endpoint(.post, "/api/v1/events", needs: .scoped(.write), takeEvent),
            endpoint(.post, "/api/v1/hooks/http", needs: .scoped(.write), takeHook),
            endpoint(.post, "/api/v1/push/register", needs: .scoped(.write), registerPhone),
            endpoint(.post, "/api/v1/devices/register", needs: .scoped(.write), registerPhone),
            endpoint(.get, "/api/v1/notifications", needs: .scoped(.read), listNotifications),
            endpoint(.post, "/api/v1/notifications/ack", needs: .scoped(.write), acknowledge),
            endpoint(.get, "/api/v1/devices", needs: .scoped(.read), listDevices),
            endpoint(.get, "/api/v1/devices/{id}/sessions", needs: .scoped(.read), listSessionsOfDevice),
            endpoint(.get, "/api/v1/sessions", needs: .scoped(.read), listSessions),
            endpoint(.get, "/api/v1/sessions/{id}/events", needs: .scoped(.read), listEvents),
            endpoint(.post, "/admin/api-keys", needs: .localMaster, createKey),
            endpoint(.get, "/admin/api-keys", needs: .localMaster, listKeys),
            endpoint(.delete, "/admin/api-keys/{id}", needs: .localMaster, revokeKey),
        ]
    }

    /// Paths without an endpoint also require a key.
    public var fallbacks: [Fallback] {
        let handle = answering(needs: .any) { _ in throw SessionsError.nothingHere }
        return [Fallback(below: ["/api/v1", "/admin/api-keys"], handle: handle)]
    }

    public var jobs: [ScheduledJob] {
        [ScheduledJob(name: "sessions-clean-up", interval: .seconds(60 * 60), run: cleanUp)]
    }
}

/// The settings of coding sessions. docs/functions/sessions.md describes them.
public struct SessionsConfiguration: Hashable, Sendable {
    /// The key for all endpoints.
    public var masterKey: APIKeys
    /// The keys for endpoints that read. A key that is also a write key opens all of them.
    public var readKeys: APIKeys = []
    /// The keys for endpoints that write.
    public var writeKeys: APIKeys = []
    /// The time after a notification in which a session sends no other of the same type. Permission prompts are
    /// always sent.
    public var coolDown = Duration.seconds(30)
    /// The time that notifications are kept after their creation.
    public var notificationRetention = Duration.seconds(24 * 60 * 60)
    /// The time that events are kept after their arrival.
    public var eventRetention = Duration.seconds(7 * 24 * 60 * 60)
    /// The time that sessions are kept after their last event.
    public var sessionRetention = Duration.seconds(7 * 24 * 60 * 60)
    /// The time that reporting machines are kept after their last event.
    public var deviceRetention = Duration.seconds(30 * 24 * 60 * 60)
    /// The app's bundle id; `nil` for the first app in the gateway's configuration.
    public var bundleID: String?

    /// - Parameter masterKey: The key for all endpoints.
    public init(masterKey: String) { self.masterKey = [masterKey] }

    /// Returns `true` if the text has the form of a key other than the master key: `claud_` and 32 hexadecimal digits.
    public static func isKey(_ text: String) -> Bool { GeneratedKey.isWellFormed(text) }
}

/// The scheduled clean-up, with a retention time for each kind of document.
extension Sessions {
    @Sendable func cleanUp() async throws {
        try await forget(
            .collection(try SessionsDocuments.notifications()), SessionNotification.Field.createdAt,
            after: configuration.notificationRetention)
        try await forget(
            .collectionGroup(SessionsDocuments.eventsID), SessionsDocuments.EventField.receivedAt,
            after: configuration.eventRetention)
        try await forget(
            .collection(try SessionsDocuments.sessions()), CodingSession.Field.lastSeenAt,
            after: configuration.sessionRetention)
        try await forget(
            .collection(try SessionsDocuments.devices()), SessionsDocuments.DeviceField.lastSeenAt,
            after: configuration.deviceRetention)
    }

    private func forget(_ collection: Query, _ field: String, after age: Duration) async throws {
        try await store.deleteDocuments(in: collection, whose: field, isBefore: now().adding(.zero - age))
    }
}
