public import DocumentStore
internal import HTTPTypes
public import Logging
public import Messaging

/// Coding sessions, as the hooks of an agent tell of them: what happens in each is kept for the app to read, and all
/// phones are told when one stops, waits for a permission, or is idle.
///
/// The contract is docs/functions/sessions.md.
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

    /// - Parameter version: the server's, as clients are told it.
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

    /// Keys are asked for before anything else, whatever the path.
    public var fallbacks: [Fallback] {
        let handle = answering(needs: .any) { _ in throw SessionsError.nothingHere }
        return [Fallback(below: ["/api/v1", "/admin/api-keys"], handle: handle)]
    }

    public var jobs: [ScheduledJob] {
        [ScheduledJob(name: "sessions-clean-up", interval: .seconds(60 * 60), run: cleanUp)]
    }
}
