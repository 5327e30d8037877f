import Functions
import HTTPTypes
import JSON
import ServiceLifecycle
import Synchronization
import TestDoubles

/// A game site that answers as a test's script says, and records the player and time of each request.
final class ScriptedSite: Fetcher, Service {
    struct Asked: Hashable, Sendable {
        let player: Int64
        let at: Duration
    }

    enum Answer: Sendable {
        case games
        case status(Int, retryAfter: Int? = nil)
        case text(String)
        case failure(FetchError.Kind)
        /// Answers nothing until the time is over.
        case nothing
        /// Answers with the games once the gate is open.
        case held(Gate)
    }

    private struct State {
        var games: [Int64: [JSONValue]] = [:]
        var answers: [Int64: Answer] = [:]
        var everybody = Answer.games
        var asked: [Asked] = []
        var urls: [String] = []
        var underWay = 0
        var mostUnderWay = 0
    }

    private let clock: ManualClock
    private let state = Mutex(State())

    init(_ clock: ManualClock) { self.clock = clock }

    func run() async throws { try await gracefulShutdown() }

    var asked: [Asked] { state.withLock(\.asked) }
    var urls: [String] { state.withLock(\.urls) }
    var underWay: Int { state.withLock(\.underWay) }
    var mostUnderWay: Int { state.withLock(\.mostUnderWay) }

    func count(of player: Int64) -> Int { asked.count { $0.player == player } }

    func play(_ games: [JSONValue], by player: Int64 = 7) { state.withLock { $0.games[player] = games } }
    func answer(about player: Int64, with answer: Answer?) { state.withLock { $0.answers[player] = answer } }
    func answerEverybody(with answer: Answer) { state.withLock { $0.everybody = answer } }

    static func game(_ id: Int64, _ name: String? = "test game", turnOf player: Int64, lastMove: Int64) -> JSONValue {
        var game: JSONObject = [
            "id": .integer(id),
            "json": ["clock": ["current_player": .integer(player), "last_move": .integer(lastMove)]],
        ]
        game["name"] = name.map(JSONValue.string)
        return .object(game)
    }

    func get(_ url: String, within bound: Duration) async throws(FetchError) -> FetchedAnswer {
        let (player, answer) = begin(url)
        defer { state.withLock { $0.underWay -= 1 } }
        switch answer {
        case .games: return games(of: player)
        case .status(let status, let retryAfter):
            let fields: HTTPFields = retryAfter.map { [.retryAfter: "\($0)"] } ?? [:]
            return FetchedAnswer(status: status, headerFields: fields)
        case .text(let text): return FetchedAnswer(status: 200, body: Array(text.utf8))
        case .failure(let kind): throw FetchError(kind, "scripted")
        case .nothing:
            try? await clock.sleep(for: bound)
            throw FetchError(Task.isCancelled ? .cancelled : .timedOut, "scripted")
        case .held(let gate):
            await gate.pass()
            return games(of: player)
        }
    }

    private func begin(_ url: String) -> (Int64, Answer) {
        let player = url.split(separator: "/").dropLast().last.flatMap { Int64($0) } ?? 0
        return state.withLock { state in
            state.asked.append(Asked(player: player, at: clock.now.offset))
            state.urls.append(url)
            state.underWay += 1
            state.mostUnderWay = max(state.mostUnderWay, state.underWay)
            return (player, state.answers[player] ?? state.everybody)
        }
    }

    private func games(of player: Int64) -> FetchedAnswer {
        let games = state.withLock { $0.games[player] ?? [] }
        return FetchedAnswer(
            status: 200, body: (["username": "somebody", "active_games": .array(games)] as JSONValue).serialized)
    }
}
