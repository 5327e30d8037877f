package import DocumentStore
import HTTPTypes
import Logging
import Messaging
package import ServiceLifecycle

/// The turns of players in games. The system polls the players' games at the game site and notifies players of new
/// turns.
///
/// docs/functions/turns.md is the contract.
package struct Turns: FunctionModule {
    let settings: TurnsSettings
    let store: any DocumentStore
    let devices: DeviceRegistry
    let directory: PlayerDirectory
    let site: GameSite
    let watch: TurnWatch
    /// The endpoints' concurrent requests to the site, in addition to those of the loop.
    let onDemandBudget: Budget
    let newPlayers: FixedWindowLimiter
    let authentication = AuthenticationLimiter()
    let loop: PollLoop
    private let fetcherService: any Service
    let now: @Sendable () -> Timestamp
    let logger: Logger

    /// The indexes that this module needs in its store.
    package static let fieldIndexes = [
        FieldIndex(
            collectionGroup: TurnsDocuments.devicesID, field: FieldPath(DeviceRegistry.Field.token), type: .string)
    ]

    package init(settings: TurnsSettings, services: ModuleServices) throws(StoreError) {
        self.settings = settings
        store = services.store
        now = services.now
        logger = services.logger
        devices = DeviceRegistry(
            collection: try TurnsDocuments.devices(),
            app: AppIdentity(bundleID: settings.bundleID, environment: settings.environment),
            store: store, reach: services.reach(of: Self.source), now: now, logger: logger)
        directory = PlayerDirectory(store: store)
        onDemandBudget = Budget(settings.requestsAtOnce)
        newPlayers = FixedWindowLimiter(limit: settings.newPlayersPerHourPerAddress, everySeconds: 60 * 60)
        // Callers may send as many requests as the polls do.
        let fetcher = services.host.fetcher(2 * settings.requestsAtOnce)
        fetcherService = fetcher
        let elapsed = Stopwatch(services.clock).elapsed
        site = GameSite(settings.site, fetcher: fetcher, elapsed: elapsed, jitter: services.jitter, logger: logger)
        watch = TurnWatch(
            site: site, store: store, outbox: services.outbox,
            notification: TurnNotification(site: settings.site, label: settings.label), now: now,
            logger: logger)
        loop = PollLoop(
            settings, watch: watch, directory: directory, isShared: services.isShared, clock: services.clock,
            elapsed: elapsed,
            jitter: services.jitter, logger: logger)
    }

    package static let name = "turns"
    package static let paths: [PathPattern] = ["/register", "/check", "/diagnostics", "/users-by-token"]
    package static let source = "turns"
    package static let registrationCollection: String? = TurnsDocuments.devicesID
    package var deviceList: DeviceList? { devices.list(of: Self.name) }

    package var endpoints: [Endpoint] {
        [
            group.endpoint(.post, "/register", register).forPages,
            group.endpoint(.get, "/check", check), group.endpoint(.get, "/check/{user_id}", check),
            group.endpoint(.get, "/diagnostics", diagnostics),
            group.endpoint(.get, "/diagnostics/{user_id}", diagnostics),
            group.endpoint(.get, "/users-by-token", usersByToken),
            group.endpoint(.get, "/users-by-token/{device_token}", usersByToken),
        ]
    }

    /// Paths without an endpoint also require a key.
    package var fallbacks: [Fallback] {
        [
            group.fallback(
                below: Self.paths, .nothingHere, methodNotAllowed: TurnsError.methodNotAllowed)
        ]
    }

    package var jobs: [ScheduledJob] {
        [
            ScheduledJob(name: "turns-clean-up", interval: .seconds(24 * 60 * 60), run: cleanUp),
            ScheduledJob(upgrading: devices),
        ]
    }

    package var services: [any Service] { [fetcherService] }
    package var duties: [any Service] { [loop] }
}

/// The scheduled clean-up, which removes the notified moves of players who have no device.
extension Turns {
    private static let maximumAge = Duration.seconds(30 * 24 * 60 * 60)
    private static let batch = 500

    @Sendable func cleanUp() async throws {
        let cutoff = now().adding(.zero - Self.maximumAge)
        var query = Query.collection(try TurnsDocuments.players()).ordered(by: .documentName).limited(to: Self.batch)
        query.projection = [FieldPath(NotifiedMoves.Field.notifiedAt)]
        while true {
            let players = try await store.documents(matching: query)
            try await sweep(players.filter { $0.isOlder(than: cutoff) })
            guard players.count == Self.batch, let last = players.last else { return }
            query.start = Cursor([.reference(last.path.name(in: store.database))], isAfter: true)
        }
    }

    private func sweep(_ old: [Document]) async throws(StoreError) {
        var devices: [DocumentPath] = []
        for document in old { devices.append(try TurnsDocuments.devices().document(document.path.id)) }
        guard !devices.isEmpty else { return }
        let gone = zip(old, try await store.documents(at: devices)).filter { $0.1 == nil }.map(\.0)
        guard !gone.isEmpty else { return }
        do {
            _ = try await store.commit(gone.map { .delete($0.path, precondition: .updateTime($0.updateTime)) })
        } catch {
            // A player has returned and has had a notification. The others are removed at the next run.
            guard error.code == .failedPrecondition else { throw error }
        }
    }
}

extension Document {
    fileprivate func isOlder(than cutoff: Timestamp) -> Bool {
        (self[NotifiedMoves.Field.notifiedAt]?.timestamp ?? updateTime) < cutoff
    }
}

/// The monotonic time since its creation. A schedule by wall-clock time would stop if that clock is set back.
struct Stopwatch: Sendable {
    let elapsed: @Sendable () -> Duration

    init(_ clock: any Clock<Duration>) { elapsed = Self.reading(clock) }

    private static func reading<C: Clock>(_ clock: C) -> @Sendable () -> Duration where C.Duration == Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
