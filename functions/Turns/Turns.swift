public import DocumentStore
internal import HTTPTypes
public import Logging
public import Messaging
public import ServiceLifecycle

/// The turns of players in games. The system polls the players' games at the game site and notifies players of new
/// turns.
///
/// docs/functions/turns.md is the contract.
public struct Turns: FunctionModule {
    let configuration: TurnsConfiguration
    let store: any DocumentStore
    let devices: DeviceRegistry
    let directory: PlayerDirectory
    let site: GameSite
    /// The endpoints' concurrent requests to the site, in addition to those of the loop.
    let visitors: Budget
    let newPlayers: FixedWindowLimiter
    let authentication = AuthenticationLimiter()
    let loop: PollLoop
    let now: @Sendable () -> Timestamp
    let logger: Logger

    /// The indexes that this module needs in its store.
    public static let fieldIndexes = [
        FieldIndex(
            collectionGroup: TurnsDocuments.devicesID, field: FieldPath(DeviceRegistry.Field.token), type: .string)
    ]

    /// - Parameter jitter: Returns random numbers, evenly distributed in 0..<1.
    public init(
        configuration: TurnsConfiguration, store: any DocumentStore, outbox: Outbox, fetcher: any Fetcher,
        clock: any Clock<Duration> = .continuous, now: @escaping @Sendable () -> Timestamp = { .now },
        jitter: @escaping @Sendable () -> Double = { .random(in: 0..<1) }, logger: Logger
    ) throws(StoreError) {
        self.configuration = configuration
        self.store = store
        self.now = now
        self.logger = logger
        devices = DeviceRegistry(
            collection: try TurnsDocuments.devices(),
            app: AppIdentity(bundleID: configuration.bundleID, environment: configuration.environment), store: store,
            now: now, logger: logger)
        directory = PlayerDirectory(store: store)
        visitors = Budget(configuration.requestsAtOnce)
        newPlayers = FixedWindowLimiter(limit: configuration.newPlayersPerHourPerAddress, everySeconds: 60 * 60)
        let elapsed = Stopwatch(clock).elapsed
        site = GameSite(configuration.site, fetcher: fetcher, elapsed: elapsed, jitter: jitter, logger: logger)
        let watch = TurnWatch(
            site: site, store: store, outbox: outbox,
            notification: TurnNotification(site: configuration.site, label: configuration.label), now: now,
            logger: logger)
        loop = PollLoop(
            configuration, watch: watch, directory: directory, clock: clock, elapsed: elapsed, jitter: jitter,
            logger: logger)
    }

    public var name: String { "turns" }

    public var endpoints: [Endpoint] {
        [
            endpoint(.post, "/register", register),
            endpoint(.get, "/check", check), endpoint(.get, "/check/{user_id}", check),
            endpoint(.get, "/diagnostics", diagnostics), endpoint(.get, "/diagnostics/{user_id}", diagnostics),
            endpoint(.get, "/users-by-token", usersByToken),
            endpoint(.get, "/users-by-token/{device_token}", usersByToken),
        ]
    }

    /// Paths without an endpoint also require a key.
    public var fallbacks: [Fallback] {
        let handle = answering { _ in throw TurnsError.nothingHere }
        return [
            Fallback(below: ["/register", "/check", "/diagnostics", "/users-by-token"], handle: handle)
        ]
    }

    public var jobs: [ScheduledJob] {
        [ScheduledJob(name: "turns-clean-up", interval: .seconds(24 * 60 * 60), run: cleanUp)]
    }

    public var services: [any Service] { [loop] }
}

/// The settings of turns. docs/functions/turns.md describes them.
public struct TurnsConfiguration: Hashable, Sendable {
    /// The keys for the endpoints; each of them opens every endpoint. Without keys, all clients may call.
    public var apiKeys: APIKeys = []
    /// The game site's URL, without a slash at its end.
    public var site = "https://online-go.com"
    /// The interval of the polls of each player's games.
    public var interval = Duration.seconds(30)
    /// The maximum number of concurrent polls.
    public var requestsAtOnce = 16
    /// The maximum number of players without a device that one address may register per hour; 0 removes the limit.
    public var newPlayersPerHourPerAddress = 60
    /// The label at the beginning of every notification, in brackets; `nil` for none.
    public var label: String?
    /// The app's bundle id; `nil` for the first app in the gateway's configuration.
    public var bundleID: String?
    /// The APNs environment of the devices; `nil` for the app's.
    public var environment: APNsEnvironment?

    /// The default settings.
    public init() {}
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
