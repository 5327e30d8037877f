import DocumentStore
import Logging
import Metrics
import ServiceLifecycle
import Signals
import Synchronization

/// A service that polls all players' games repeatedly, each at its own time.
final class PollLoop: Service {
    private struct State {
        var schedule: PollSchedule
        var underWay = 0
        /// The time at which the loop wakes by itself.
        var sleepsUntil = Duration.zero
        /// The players whose last poll failed because of the gateway itself.
        var troubled: Set<PlayerID> = []
    }

    private let watch: TurnWatch
    private let directory: PlayerDirectory
    private let atOnce: Int
    private let interval: Duration
    private let isShared: Bool
    private let clock: any Clock<Duration>
    private let elapsed: @Sendable () -> Duration
    private let jitter: @Sendable () -> Double
    private let logger: Logger
    private let state: Mutex<State>
    private let loop: WorkLoop

    /// The longest sleep, used without players.
    private static let longestSleep = Duration.seconds(60)
    /// The delay before a failed read of the players is retried.
    private static let retryDelay = Duration.seconds(5)

    /// - Parameter isShared: `true` if players may register at other gateways. They are found once in each interval.
    init(
        _ settings: TurnsSettings, watch: TurnWatch, directory: PlayerDirectory, isShared: Bool,
        clock: any Clock<Duration>, elapsed: @escaping @Sendable () -> Duration,
        jitter: @escaping @Sendable () -> Double, logger: Logger
    ) {
        self.watch = watch
        self.directory = directory
        self.isShared = isShared
        self.clock = clock
        self.elapsed = elapsed
        self.jitter = jitter
        self.logger = logger
        loop = WorkLoop(clock: clock)
        atOnce = settings.requestsAtOnce
        interval = settings.interval
        state = Mutex(State(schedule: PollSchedule(interval: interval, start: elapsed(), atOnce: atOnce)))
    }

    /// Adds a player who has just registered, for the first time or again.
    func register(_ player: PlayerID) {
        change { $0.schedule.register(player, at: $1) }
    }

    /// Returns the time of the last poll of a player's games, in seconds since 1970; `nil` if there was none since the
    /// start.
    func lastLook(at player: PlayerID) -> Int64? { state.withLock { $0.schedule.lastLook(at: player) } }

    func run() async throws {
        logger.info("started checking games for turns", metadata: ["interval": "\(interval.asGoWritesIt)"])
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    await self.load()
                    while self.isShared, (try? await self.clock.sleep(for: self.interval)) != nil { await self.load() }
                }
                await self.loop.run {
                    while let permit = self.next() { group.addTask { await self.poll(permit) } }
                    return .untilWork(atMost: self.pause())
                }
            }
        }
    }

    // MARK: Players

    private func load() async {
        var last: String?
        while !Task.isCancelled {
            do {
                guard let page = try await directory.page(after: last) else { return }
                take(page.players)
                last = page.last
            } catch {
                logger.error("failed to read the registered players; retrying", metadata: ["error": "\(error)"])
                try? await clock.sleep(for: Self.retryDelay)
            }
        }
    }

    private func take(_ players: [PlayerID]) {
        change { state, _ in
            for player in players { state.schedule.load(player, jitter: jitter()) }
        }
    }

    // MARK: Polls

    private func next() -> PollSchedule.PollPermit? {
        state.withLock { state in
            guard state.underWay < atOnce, let permit = state.schedule.next(at: elapsed()) else { return nil }
            state.underWay += 1
            return permit
        }
    }

    private func pause() -> Duration {
        state.withLock { state in
            let now = elapsed()
            let pause = possiblePause(state: &state, at: now)
            state.sleepsUntil = now + pause
            return pause
        }
    }

    private func possiblePause(state: inout State, at now: Duration) -> Duration {
        guard state.underWay < atOnce else { return Self.longestSleep }
        return min(state.schedule.pause(at: now) ?? Self.longestSleep, Self.longestSleep)
    }

    /// Changes the state, and wakes the loop if that allows a poll before it wakes by itself.
    private func change(_ body: (inout State, Duration) -> Void) {
        let isEarlier = state.withLock { state in
            let now = elapsed()
            body(&state, now)
            return now + possiblePause(state: &state, at: now) < state.sleepsUntil
        }
        if isEarlier { loop.notify() }
    }

    private func poll(_ permit: PollSchedule.PollPermit) async {
        do throws(StoreError) {
            switch try await watch.look(at: permit.player) {
            case .looked:
                recovered(permit.player)
                finish(permit, .done, counted: "ok")
            case .notRegistered:
                recovered(permit.player)
                finish(permit) { $0.remove(permit, at: $1) }
            case .gamesUnknown(.leftAlone): finish(permit, .putOff, counted: "backed_off")
            case .gamesUnknown(let error): failed(permit, error)
            }
        } catch {
            failed(permit, error)
        }
    }

    private func failed(_ permit: PollSchedule.PollPermit, _ error: GameSiteError) {
        // A poll that shutdown interrupts has not failed.
        guard !Task.isCancelled else { return }
        log(.info, error, of: permit.player)
        finish(permit, error.isOfThePlayer ? .failed : .putOff, counted: "failed")
    }

    private func failed(_ permit: PollSchedule.PollPermit, _ error: StoreError) {
        guard !Task.isCancelled else { return }
        log(.debug, error, of: permit.player)
        note(error, of: permit.player)
        finish(permit, .putOff, counted: "failed")
    }

    private func log(_ level: Logger.Level, _ error: any Error, of player: PlayerID) {
        logger.log(
            level: level, "failed to check a player's games",
            metadata: ["player": "\(player)", "error": "\(error)"])
    }

    /// Notes a failure of the store, which makes every poll fail. Only the first failure is logged as an error.
    private func note(_ error: StoreError, of player: PlayerID) {
        let isFirst = state.withLock { state in
            state.troubled.insert(player).inserted && state.troubled.count == 1
        }
        guard isFirst else { return }
        logger.error("failing to check players' games", metadata: ["player": "\(player)", "error": "\(error)"])
    }

    private func recovered(_ player: PlayerID) {
        let isLast = state.withLock { $0.troubled.remove(player) != nil && $0.troubled.isEmpty }
        if isLast { logger.notice("resumed checking players' games") }
    }

    private func finish(_ permit: PollSchedule.PollPermit, _ outcome: PollSchedule.Outcome, counted label: String) {
        Counter(label: "pushgate_polls_total", dimensions: [("outcome", label)]).increment()
        let (date, jitter) = (watch.now().seconds, jitter())
        finish(permit) { $0.finish(permit, outcome, at: $1, date: date, jitter: jitter) }
    }

    private func finish(_ permit: PollSchedule.PollPermit, _ note: (inout PollSchedule, Duration) -> Void) {
        change { state, now in
            note(&state.schedule, now)
            state.underWay -= 1
        }
    }
}

extension GameSiteError {
    /// `true` if polls of this player are likely to fail again while those of others succeed.
    fileprivate var isOfThePlayer: Bool {
        if case .siteFailed = self { false } else { true }
    }
}
