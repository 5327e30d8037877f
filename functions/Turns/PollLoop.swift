internal import DocumentStore
internal import Logging
internal import Messaging
internal import Metrics
internal import ServiceLifecycle
internal import Synchronization

/// Looks at all players' games, again and again, each in turn.
final class PollLoop: Service {
    private struct State {
        var schedule: PollSchedule
        var underWay = 0
        /// Whether something has become possible since the loop has looked.
        var hasNews = false
    }

    private let watch: TurnWatch
    private let directory: PlayerDirectory
    private let atOnce: Int
    private let clock: any Clock<Duration>
    private let elapsed: @Sendable () -> Duration
    private let jitter: @Sendable () -> Double
    private let logger: Logger
    private let state: Mutex<State>
    private let news = Bell()

    /// How long it sleeps when there is nobody to look at.
    private static let longestSleep = Duration.seconds(60)
    /// How long to wait before the players are read again, when that has failed.
    private static let retryDelay = Duration.seconds(5)

    init(
        _ configuration: TurnsConfiguration, watch: TurnWatch, directory: PlayerDirectory,
        clock: any Clock<Duration>, elapsed: @escaping @Sendable () -> Duration,
        jitter: @escaping @Sendable () -> Double, logger: Logger
    ) {
        self.watch = watch
        self.directory = directory
        self.clock = clock
        self.elapsed = elapsed
        self.jitter = jitter
        self.logger = logger
        atOnce = configuration.requestsAtOnce
        state = Mutex(State(schedule: PollSchedule(interval: configuration.interval, start: elapsed())))
    }

    /// To be called when a player has been registered, or has been again.
    func register(_ player: PlayerID) {
        state.withLock { state in
            state.schedule.register(player, at: elapsed())
            state.hasNews = true
        }
        news.ring()
    }

    /// When a player's games were last looked at, in seconds since 1970; 0 if not since the start.
    func lastLook(at player: PlayerID) -> Int64 { state.withLock { $0.schedule.lastLook(at: player) } }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await self.load() }
                while !Task.isCancelled {
                    while let ticket = self.next() { group.addTask { await self.poll(ticket) } }
                    await self.news.wait(atMost: self.pause(), clock: self.clock) { self.state.withLock(\.hasNews) }
                    self.state.withLock { $0.hasNews = false }
                }
            }
        }
    }

    // MARK: The players there are

    private func load() async {
        var last: String?
        while !Task.isCancelled {
            do {
                guard let page = try await directory.page(after: last) else { return }
                take(page.players)
                last = page.last
            } catch {
                logger.error("cannot read the players whose games are looked at", metadata: ["error": "\(error)"])
                try? await clock.sleep(for: Self.retryDelay)
            }
        }
    }

    private func take(_ players: [PlayerID]) {
        state.withLock { state in
            for player in players { state.schedule.load(player) }
            state.hasNews = true
        }
        news.ring()
    }

    // MARK: Turns

    private func next() -> PollSchedule.Ticket? {
        state.withLock { state in
            guard state.underWay < atOnce, let ticket = state.schedule.next(at: elapsed()) else { return nil }
            state.underWay += 1
            return ticket
        }
    }

    private func pause() -> Duration {
        state.withLock { state in
            guard state.underWay < atOnce else { return Self.longestSleep }
            return min(state.schedule.pause(at: elapsed()) ?? Self.longestSleep, Self.longestSleep)
        }
    }

    private func poll(_ ticket: PollSchedule.Ticket) async {
        do {
            switch try await watch.look(at: ticket.player) {
            case .looked: finish(ticket, .done, counted: "ok")
            case .notRegistered: finish(ticket) { $0.remove(ticket, at: $1) }
            }
        } catch let error as GameSiteError where error == .leftAlone {
            finish(ticket, .putOff, counted: "backed_off")
        } catch {
            // One that shutdown cut short has not failed.
            guard !Task.isCancelled else { return }
            tell(error, of: ticket.player)
            finish(ticket, error.isOfThePlayer ? .failed : .done, counted: "failed")
        }
    }

    private func tell(_ error: any Error, of player: PlayerID) {
        let level: Logger.Level = error is GameSiteError ? .debug : .error
        logger.log(
            level: level, "could not look at a player's games", metadata: ["player": "\(player)", "error": "\(error)"])
    }

    private func finish(_ ticket: PollSchedule.Ticket, _ outcome: PollSchedule.Outcome, counted label: String) {
        Counter(label: "pushgate_polls_total", dimensions: [("outcome", label)]).increment()
        let (date, jitter) = (watch.now().seconds, jitter())
        finish(ticket) { $0.finish(ticket, outcome, at: $1, date: date, jitter: jitter) }
    }

    private func finish(_ ticket: PollSchedule.Ticket, _ change: (inout PollSchedule, Duration) -> Void) {
        state.withLock { state in
            change(&state.schedule, elapsed())
            state.underWay -= 1
            state.hasNews = true
        }
        news.ring()
    }
}

extension Error {
    /// Whether asking after this player is likely to fail again while others are fine.
    fileprivate var isOfThePlayer: Bool {
        guard let error = self as? GameSiteError else { return false }
        if case .certain = error.hostTrouble { return false }
        return true
    }
}
