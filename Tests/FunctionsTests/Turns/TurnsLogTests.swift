import JSON
import Messaging
import TestDoubles
import Testing

@Suite("Turns: log", .timeLimit(.minutes(10)))
struct TurnsLogTests {
    private static let token = "0123456789abcdef0123456789abcdef"

    @Test("The log names registrations, checks with turns, notifications and failed checks")
    func lines() async throws {
        let bench = try TurnsBench()
        bench.site.play([ScriptedSite.game(1, turnOf: 7, lastMove: 100), ScriptedSite.game(2, turnOf: 7, lastMove: 90)])
        bench.site.answer(about: 8, with: .status(404))
        try await bench.bench.running {
            try await bench.register(token: Self.token)
            try await bench.register("8", token: Self.token)
            try await bench.untilSent(1)
            try await bench.untilAsked(8, 1)
            try await eventually("the failure is logged") { infos(bench).contains { $0.contains("failed to check") } }
        }
        let lines = infos(bench)
        let expected = [
            ("started checking games for turns", ["interval\": 30s"]),
            ("registered a player", ["player\": 7", "token#"]),
            ("checked a player's games", ["player\": 7", "turns\": 2"]),
            ("queued a notification of turns", ["player\": 7", "turns\": 2", "message\": "]),
            ("failed to check a player's games", ["player\": 8", "404"]),
        ]
        for (message, facts) in expected {
            let line = try #require(lines.first { $0.hasPrefix("info \(message) ") }, "\(message)")
            for fact in facts { #expect(line.contains(fact), "\(line)") }
        }
        #expect(bench.bench.log.lines.allSatisfy { !$0.contains(Self.token) })
    }

    @Test("Checks without news are not logged")
    func silence() async throws {
        let bench = try TurnsBench()
        bench.site.play([ScriptedSite.game(1, turnOf: 8, lastMove: 100)])
        try await bench.bench.running {
            try await bench.register()
            try await eventually("the loop has started") { infos(bench).contains { $0.contains("started checking") } }
            let before = infos(bench)
            try await bench.untilAsked(7, 3)
            #expect(infos(bench) == before)
        }
    }

    private func infos(_ bench: TurnsBench) -> [String] { bench.bench.log.lines.filter { $0.hasPrefix("info ") } }
}
