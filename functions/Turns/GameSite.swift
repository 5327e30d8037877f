internal import HTTPTypes
internal import Logging
internal import Messaging
internal import Synchronization

/// The site where the games are: asks it, and leaves it alone when it is in trouble.
final class GameSite: Sendable {
    /// How long an answer may take.
    static let patience = Duration.seconds(10)

    private let address: String
    private let fetcher: any Fetcher
    private let elapsed: @Sendable () -> Duration
    private let jitter: @Sendable () -> Double
    private let logger: Logger
    private let backoff = Mutex(HostBackoff())

    /// - Parameter address: without a slash at its end.
    init(
        _ address: String, fetcher: any Fetcher, elapsed: @escaping @Sendable () -> Duration,
        jitter: @escaping @Sendable () -> Double, logger: Logger
    ) {
        self.address = address
        self.fetcher = fetcher
        self.elapsed = elapsed
        self.jitter = jitter
        self.logger = logger
    }

    /// A player's games as they are now.
    ///
    /// - Throws: ``GameSiteError/siteFailed(_:)`` for what is no fault of the player.
    func games(
        of player: PlayerID, for asker: HostBackoff.Asker = .gateway
    ) async throws(GameSiteError) -> [Game] {
        guard let admission = backoff.withLock({ $0.admit(asker, at: elapsed()) }) else { throw .leftAlone }
        do throws(GameSiteError) {
            let games = try await ask(for: player)
            succeeded(admission)
            return games
        } catch {
            failed(error, admission)
            throw backoff.withLock { $0.isCurrent(admission) } ? error : .siteFailed(error)
        }
    }

    private func ask(for player: PlayerID) async throws(GameSiteError) -> [Game] {
        let answer: FetchedAnswer
        do {
            answer = try await fetcher.get("\(address)/api/v1/players/\(player)/full", within: Self.patience)
        } catch {
            throw .noAnswer(error)
        }
        guard answer.status == 200 else {
            throw .status(answer.status, retryAfter: RetryAfter.duration(answer.headerFields[.retryAfter]))
        }
        guard let games = [Game](answer: answer.body) else { throw .unreadable }
        return games
    }

    private func succeeded(_ admission: HostBackoff.Admission) {
        let isBack = backoff.withLock { $0.succeeded(admission, at: elapsed()) }
        if isBack { logger.notice("the game site answers again") }
    }

    private func failed(_ error: GameSiteError, _ admission: HostBackoff.Admission) {
        if case .noAnswer(let reason) = error, reason.kind == .cancelled {
            return backoff.withLock { $0.abandoned(admission, at: elapsed()) }
        }
        // An error that is about one player was answered by a site that is well.
        guard let trouble = error.hostTrouble else { return succeeded(admission) }
        let jitter = jitter()
        let pause = backoff.withLock { $0.failed(trouble, admission, at: elapsed(), jitter: jitter) }
        guard let pause else { return }
        logger.warning(
            "the game site is left alone for a while", metadata: ["reason": "\(error)", "pause": "\(pause)"])
    }
}
