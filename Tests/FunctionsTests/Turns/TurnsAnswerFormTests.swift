import Functions
import JSON
import TestDoubles
import Testing

@Suite("Turns: answers as the app decodes them", .timeLimit(.minutes(10)))
struct TurnsAnswerFormTests {
    private struct Registered: Decodable {
        let status: String
    }

    private struct Checked: Decodable {
        let not_your_turn: [Int]
        let your_turn_new: [Int]
        let your_turn_old: [Int]
    }

    private struct Owners: Decodable {
        let device_token: String
        let user_ids: [String]
    }

    private struct Diagnostics: Decodable {
        struct Game: Decodable {
            let game_id: Int
            let last_move_timestamp: Int64
            let current_player: Int
            let is_your_turn: Bool
            let game_name: String
        }

        let user_id: String
        let device_token_registered: Bool
        let device_token_preview: String?
        let last_notification_time: Int64
        let monitored_games: [Game]
        let total_active_games: Int
        let server_check_interval: String
        let last_server_check_time: Int64
    }

    @Test("The answers about a registered player with games have every member with its type")
    func registered() async throws {
        let bench = try TurnsBench()
        bench.site.play([
            ScriptedSite.game(1, nil, turnOf: 7, lastMove: 1_758_474_319_701),
            ScriptedSite.game(2, "two", turnOf: 8, lastMove: 5),
        ])
        let registered: Registered = try await bench.register().decoded()
        #expect(registered.status == "registered")
        let checked: Checked = try await bench.get("/check/7").decoded()
        #expect(checked.your_turn_new == [1] && checked.not_your_turn == [2] && checked.your_turn_old.isEmpty)
        let owners: Owners = try await bench.get("/users-by-token/token-1").decoded()
        #expect(owners.device_token == "token-1" && owners.user_ids == ["7"])
        let diagnostics: Diagnostics = try await bench.get("/diagnostics/7").decoded()
        #expect(diagnostics.user_id == "7" && diagnostics.device_token_registered)
        #expect(diagnostics.device_token_preview == "tok...")
        #expect(diagnostics.monitored_games.map(\.game_name) == ["", "two"] && diagnostics.total_active_games == 2)
        #expect(diagnostics.monitored_games.first?.last_move_timestamp == 1_758_474_319_701)
        #expect(diagnostics.server_check_interval == "30s" && diagnostics.last_server_check_time > 0)
    }

    @Test("The answers about an unknown player have every member with its type")
    func unknown() async throws {
        let bench = try TurnsBench()
        bench.site.play([], by: 9)
        let checked: Checked = try await bench.get("/check/9").decoded()
        #expect(checked.not_your_turn.isEmpty && checked.your_turn_new.isEmpty && checked.your_turn_old.isEmpty)
        let owners: Owners = try await bench.get("/users-by-token/none").decoded()
        #expect(owners.user_ids.isEmpty)
        let diagnostics: Diagnostics = try await bench.get("/diagnostics/9").decoded()
        #expect(!diagnostics.device_token_registered && diagnostics.device_token_preview == nil)
        #expect(diagnostics.monitored_games.isEmpty && diagnostics.last_notification_time == 0)
    }
}
