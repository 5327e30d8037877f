import JSON
import Synchronization

/// A stand-in for a game site: serves scripted answers for each player, and records the time of each request.
package final class GameSiteStandIn: Sendable {
    /// A request about a player, with any answer.
    package struct Asked: Hashable, Sendable {
        /// The id of the player.
        package let player: Int64
        /// The time since the stand-in was started.
        package let at: Duration
        /// The `User-Agent` of the request; `nil` if there was none.
        package let userAgent: String?
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

    package init() {}

    /// The listening address: `http://127.0.0.1:50123`.
    package var url: String { state.withLock(\.url) }

    // MARK: Requests

    /// The requests about players so far, in order.
    package var asked: [Asked] { state.withLock(\.asked) }

    /// Returns the number of requests about a player.
    package func count(of player: Int64) -> Int { asked.count { $0.player == player } }

    /// The highest number of concurrent requests.
    package var mostUnderWay: Int { state.withLock(\.mostUnderWay) }

    /// Forgets the requests so far.
    package func forgetAsked() {
        state.withLock { state in
            state.asked = []
            state.mostUnderWay = state.underWay
        }
    }

    // MARK: Answers

    /// Sets the games of a player, who has none at first.
    package func play(_ games: [PlayedGame], by player: Int64) { state.withLock { $0.games[player] = games } }

    /// Answers requests about a player like this from now on; `nil` for the player's games.
    package func answer(about player: Int64, with answer: SiteAnswer?) {
        state.withLock { $0.scripts[player] = answer }
    }

    /// Answers requests about every player without an answer of their own like this.
    package func answerEverybody(with answer: SiteAnswer?) { state.withLock { $0.everybody = answer } }

    // MARK: Handling of requests

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
