package import DocumentStore
import HTTPTypes
import Logging
import Messaging

/// Coding sessions, as the hooks of an agent report them. The events are stored for the app to read. All phones are
/// notified if a session stops, waits for a permission or is idle.
///
/// docs/functions/sessions.md is the contract.
package struct Sessions: FunctionModule {
    let settings: SessionsSettings
    let store: any DocumentStore
    let outbox: Outbox
    /// The Live Activities; `nil` for none.
    let cards: Cards?
    let phones: DeviceRegistry
    let keys: SessionKeys
    let authentication = AuthenticationLimiter()
    /// The server's version, as clients receive it.
    let version: String
    let now: @Sendable () -> Timestamp
    let logger: Logger

    package init(settings: SessionsSettings, services: ModuleServices) throws(StoreError) {
        self.settings = settings
        store = services.store
        outbox = services.outbox
        cards = services.cards
        version = services.host.version
        now = services.now
        logger = services.logger
        keys = SessionKeys(store: store, now: now, logger: logger)
        phones = DeviceRegistry(
            collection: try SessionsDocuments.phones(),
            app: AppIdentity(bundleID: settings.bundleID, environment: Self.environment(isSandbox: false)),
            store: store, reach: services.reach(of: Self.source), now: now, logger: logger)
    }

    package static let name = "coding sessions"
    package static let paths: [PathPattern] = ["/api/v1", "/admin/api-keys"]
    package static let source = "sessions"
    package static let registrationCollection: String? = SessionsDocuments.phonesID
    package var deviceList: DeviceList? { phones.list(of: Self.name) }

    package var endpoints: [Endpoint] {
        let (read, write, manage) = (requiring(.scoped(.read)), requiring(.scoped(.write)), requiring(.localMaster))
        return [
            read.endpoint(.get, "/api/v1/ping", ping),
            write.endpoint(.post, "/api/v1/events", takeEvent),
            write.endpoint(.post, "/api/v1/hooks/http", takeHook),
            write.endpoint(.post, "/api/v1/push/register", registerPhone).forPages,
            write.endpoint(.post, "/api/v1/devices/register", registerPhone).forPages,
            read.endpoint(.get, "/api/v1/notifications", listNotifications),
            write.endpoint(.post, "/api/v1/notifications/ack", acknowledge),
            read.endpoint(.get, "/api/v1/devices", listDevices),
            read.endpoint(.get, "/api/v1/devices/{id}/sessions", listSessionsOfDevice),
            read.endpoint(.get, "/api/v1/sessions", listSessions),
            read.endpoint(.get, "/api/v1/sessions/{id}/events", listEvents),
            manage.endpoint(.post, "/admin/api-keys", createKey),
            manage.endpoint(.get, "/admin/api-keys", listKeys),
            manage.endpoint(.delete, "/admin/api-keys/{id}", revokeKey),
        ]
    }

    /// Paths without an endpoint also require a key.
    package var fallbacks: [Fallback] {
        [requiring(.any).fallback(below: Self.paths, .nothingHere)]
    }

    package var jobs: [ScheduledJob] {
        [
            ScheduledJob(name: "sessions-clean-up", interval: .seconds(60 * 60), run: cleanUp),
            ScheduledJob(upgrading: phones),
        ]
    }
}

/// The scheduled clean-up, with a retention time for each kind of document.
extension Sessions {
    @Sendable func cleanUp() async throws {
        try await forget(
            .collection(try SessionsDocuments.notifications()), SessionNotification.Field.createdAt,
            after: settings.notificationRetention)
        try await forget(
            .collectionGroup(SessionsDocuments.eventsID), SessionsDocuments.EventField.receivedAt,
            after: settings.eventRetention)
        try await forget(
            .collection(try SessionsDocuments.sessions()), CodingSession.Field.lastSeenAt,
            after: settings.eventRetention)
        try await forget(
            .collection(try SessionsDocuments.devices()), SessionsDocuments.DeviceField.lastSeenAt,
            after: SessionsSettings.deviceRetention)
    }

    private func forget(_ collection: Query, _ field: String, after age: Duration) async throws {
        try await store.deleteDocuments(in: collection, whose: field, isBefore: now().adding(.zero - age))
    }
}
