import HTTPTypes
import Logging
import Messaging
import Synchronization

/// A client of the game site. It pauses its requests if the site has failures.
final class GameSite: Sendable {
    /// The time limit of a request.
    static let patience = Duration.seconds(10)

    private let address: String
    private let fetcher: any Fetcher
    private let elapsed: @Sendable () -> Duration
    private let jitter: @Sendable () -> Double
    private let logger: Logger
    private let backoff = Mutex(HostBackoff())

    /// - Parameter address: The site's URL, without a slash at its end.
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

    /// Fetches a player's current games.
    ///
    /// - Throws: ``GameSiteError/siteFailed(_:)`` if the failure is not related to the player.
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
        if isBack { logger.notice("resumed requests to the game site") }
    }

    private func failed(_ error: GameSiteError, _ admission: HostBackoff.Admission) {
        if case .noAnswer(let reason) = error, reason.kind == .cancelled {
            return backoff.withLock { $0.abandoned(admission, at: elapsed()) }
        }
        // An error about one player means that the site as a whole works.
        guard let trouble = error.hostTrouble else { return succeeded(admission) }
        let jitter = jitter()
        let pause = backoff.withLock { $0.failed(trouble, admission, at: elapsed(), jitter: jitter) }
        guard let pause else { return }
        logger.warning(
            "paused requests to the game site", metadata: ["reason": "\(error)", "pause": "\(pause)"])
    }
}

/// The reason why a player's games are unknown.
enum GameSiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Requests to the site are paused.
    case leftAlone
    /// The maximum number of concurrent requests is reached.
    case busy
    /// The site responded with a status other than 200.
    case status(Int, retryAfter: Duration?)
    case noAnswer(FetchError)
    /// The response has no list of games.
    case unreadable
    /// One of the other errors, if a failure of the site as a whole caused it.
    indirect case siteFailed(GameSiteError)

    var description: String {
        switch self {
        case .leftAlone: "requests to the site are paused"
        case .busy: "too many concurrent requests"
        case .status(let status, _): "the site responded with status \(status)"
        case .noAnswer(let error): "the site did not respond: \(error)"
        case .unreadable: "the site's response has no list of games"
        case .siteFailed(let error): error.description
        }
    }

    /// The failure of the site as a whole that the error indicates; `nil` if the error is about this player only.
    var hostTrouble: HostTrouble? {
        switch self {
        case .status(429, let retryAfter), .status(503, let retryAfter): .certain(retryAfter: retryAfter)
        // A redirection points away from the configured address, and a site may use 403 to block the gateway.
        case .status(300..<400, _), .status(403, _), .status(500..., _): .suspected
        case .noAnswer(let error): error.hostTrouble
        case .siteFailed(let error): error.hostTrouble
        case .status, .unreadable, .leftAlone, .busy: nil
        }
    }
}

extension FetchError {
    fileprivate var hostTrouble: HostTrouble? {
        switch kind {
        case .unreachable: .certain(retryAfter: nil)
        case .timedOut, .broken, .other: .suspected
        case .tooLarge, .cancelled: nil
        }
    }
}
