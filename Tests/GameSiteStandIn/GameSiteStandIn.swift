internal import JSON
import Synchronization

/// The side of a game site for tests: serves what it is told of each player, and remembers when each was asked after.
public final class GameSiteStandIn: Sendable {
    /// A request about a player, whatever the answer was.
    public struct Asked: Hashable, Sendable {
        public let player: Int64
        /// Since the stand-in was started.
        public let at: Duration
        public let userAgent: String?
    }

    struct State {
        var url = ""
        var games: [Int64: [PlayedGame]] = [:]
        var scripts: [Int64: SiteAnswer] = [:]
        var everybody: SiteAnswer?
        var asked: [Asked] = []
        var underWay = 0
        var mostUnderWay = 0
    }

    private let start = ContinuousClock.now
    let state = Mutex(State())

    public init() {}

    /// Where it listens: `http://127.0.0.1:50123`.
    public var url: String { state.withLock(\.url) }

    // MARK: What was asked

    public var asked: [Asked] { state.withLock(\.asked) }

    /// How many requests about a player there were.
    public func count(of player: Int64) -> Int { asked.count { $0.player == player } }

    /// How many requests were open at the same time, at most.
    public var mostUnderWay: Int { state.withLock(\.mostUnderWay) }

    public func forgetAsked() {
        state.withLock { state in
            state.asked = []
            state.mostUnderWay = state.underWay
        }
    }

    // MARK: What it says

    /// A player has no games until there are some here.
    public func play(_ games: [PlayedGame], by player: Int64) { state.withLock { $0.games[player] = games } }

    /// Answers about a player like this, until told otherwise; nil for the games there are.
    public func answer(about player: Int64, with answer: SiteAnswer?) {
        state.withLock { $0.scripts[player] = answer }
    }

    /// Answers about everybody like this who has no answer of their own.
    public func answerEverybody(with answer: SiteAnswer?) { state.withLock { $0.everybody = answer } }

    // MARK: Answering

    func begin(_ player: Int64, userAgent: String?) -> SiteAnswer {
        state.withLock { state in
            state.asked.append(Asked(player: player, at: start.duration(to: .now), userAgent: userAgent))
            state.underWay += 1
            state.mostUnderWay = max(state.mostUnderWay, state.underWay)
            return state.answer(about: player)
        }
    }

    func end() { state.withLock { $0.underWay -= 1 } }
}

extension GameSiteStandIn.State {
    fileprivate func answer(about player: Int64) -> SiteAnswer {
        var answer = scripts[player] ?? everybody ?? SiteAnswer()
        if answer.status == 200, answer.body == nil {
            answer.body = [
                "user": ["id": .integer(player), "username": "player-\(player)"],
                "active_games": .array((games[player] ?? []).map(\.json)),
            ]
        }
        return answer
    }
}
