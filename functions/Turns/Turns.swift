public import DocumentStore
internal import HTTPTypes
public import Logging
public import Messaging
public import ServiceLifecycle

/// Turns in games: players' games are looked at again and again at the site where they are played, and whose turn it has
/// come to be is told so.
///
/// The contract is docs/functions/turns.md.
public struct Turns: FunctionModule {
    let configuration: TurnsConfiguration
    let store: any DocumentStore
    let devices: DeviceRegistry
    let directory: PlayerDirectory
    let site: GameSite
    /// Callers that may ask the site at the same time, beside the loop.
    let visitors: Budget
    let newPlayers: FixedWindowLimiter
    let authentication = AuthenticationLimiter()
    let loop: PollLoop
    let now: @Sendable () -> Timestamp
    let logger: Logger

    /// The indexes this module asks of its store.
    public static let fieldIndexes = [
        FieldIndex(
            collectionGroup: TurnsDocuments.devicesID, field: FieldPath(DeviceRegistry.Field.token), type: .string)
    ]

    /// - Parameter jitter: evenly spread in 0..<1.
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

    /// Keys are asked for before anything else, whatever the path.
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
