import DocumentStore
import Functions
import HTTPTypes
import JSON
import TestDoubles
import Testing

@Suite("Turns: loop", .timeLimit(.minutes(10)))
struct TurnsLoopTests {
    private func running(
        _ bench: TurnsBench, players: ClosedRange<Int64>, _ body: () async throws -> Void
    ) async throws {
        for player in players { try await bench.register("\(player)", token: "token-\(player)") }
        try await bench.bench.running(body)
    }

    /// Returns the number of requests per player.
    private func counts(_ bench: TurnsBench) -> [Int64: Int] {
        Dictionary(grouping: bench.site.asked, by: \.player).mapValues(\.count)
    }

    // The schedule spreads the requests over the interval, and its own tests cover that.
    @Test("Every player is polled in the first interval and none at once")
    func everybody() async throws {
        let first = try TurnsBench()
        for player in 1...60 { try await first.register("\(player)", token: "t") }
        // Another gateway on the same data, with which no player registers.
        let bench = try TurnsBench(on: first.bench.disk, clock: first.clock)
        let start = bench.clock.now.offset
        try await bench.bench.running {
            try await eventually("all players are loaded") { bench.clock.pendingSleeps.contains { $0 <= .seconds(5) } }
            try await eventually("two intervals", advancing: bench.clock, by: .milliseconds(200)) {
                bench.clock.now.offset - start >= .seconds(66)
            }
            try await eventually("every player has been polled") { counts(bench).count == 60 }
            #expect(try #require(bench.site.asked.map(\.at).min()) - start >= .seconds(5))
        }
    }

    @Test("Polls do not exceed the configured number of concurrent requests")
    func bound() async throws {
        let bench = try TurnsBench { $0.requestsAtOnce = 4 }
        let gate = Gate()
        bench.site.answerEverybody(with: .held(gate))
        try await running(bench, players: 1...20) {
            try await eventually("4 requests", advancing: bench.clock, by: .milliseconds(500)) { gate.waiting == 4 }
            for _ in 0..<100 {
                bench.clock.advance(by: .seconds(1))
                await Task.yield()
            }
            #expect(bench.site.underWay == 4)
            gate.open()
            try await eventually("every player has been polled", advancing: bench.clock, by: .milliseconds(500)) {
                counts(bench).count == 20
            }
            #expect(bench.site.mostUnderWay == 4)
        }
    }

    @Test("A player whose poll hangs delays no other player")
    func slow() async throws {
        let bench = try TurnsBench { $0.requestsAtOnce = 2 }
        bench.site.answer(about: 1, with: .nothing)
        bench.site.play([ScriptedSite.game(5, turnOf: 3, lastMove: 9)], by: 3)
        try await running(bench, players: 1...6) {
            try await bench.untilAsked(1, 2, by: .milliseconds(250))
            for player in 2...6 { try await bench.untilAsked(Int64(player), 3, by: .milliseconds(250)) }
            #expect(bench.sent.map(\.token) == ["token-3"])
            let counts = counts(bench)
            #expect(counts.values.allSatisfy { $0 <= 5 })
        }
    }

    @Test(
        "A player for whom the site gives an error delays no other player",
        arguments: [.status(404), .text("<html>"), .text("{}"), .failure(.tooLarge)] as [ScriptedSite.Answer])
    func failing(answer: ScriptedSite.Answer) async throws {
        let bench = try TurnsBench()
        for player in 1...8 { bench.site.answer(about: Int64(player), with: answer) }
        try await running(bench, players: 1...10) {
            for player in 9...10 { try await bench.untilAsked(Int64(player), 12, by: .milliseconds(500)) }
            let counts = counts(bench)
            for player in 1...8 { #expect((4...8).contains(counts[Int64(player)] ?? 0), "\(counts)") }
            #expect(!bench.bench.log.lines.contains { $0.contains("paused requests to the game site") })
        }
    }

    @Test(
        "A site that answers 429 or 503 is left alone, probed with one request and then polled for all players",
        arguments: [.status(429, retryAfter: 120), .status(503, retryAfter: 120)] as [ScriptedSite.Answer])
    func backoff(answer: ScriptedSite.Answer) async throws {
        let bench = try TurnsBench { $0.requestsAtOnce = 4 }
        bench.site.answerEverybody(with: answer)
        try await running(bench, players: 1...10) {
            try await eventually("one request reaches the site", advancing: bench.clock, by: .milliseconds(100)) {
                !bench.site.asked.isEmpty
            }
            try await eventually("it is left alone") {
                bench.bench.log.lines.contains { $0.contains("paused requests to the game site") }
            }
            let until = try #require(bench.site.asked.last).at + .seconds(120)
            try await eventually("the pause is over", advancing: bench.clock, by: .milliseconds(500)) {
                bench.clock.now.offset >= until - .seconds(2)
            }
            let asked = bench.site.asked.count
            #expect(asked <= 4, "only the requests in flight")
            let gate = Gate()
            bench.site.answerEverybody(with: .held(gate))
            try await eventually("a probe", advancing: bench.clock, by: .milliseconds(500)) { gate.waiting == 1 }
            let probedAt = bench.clock.now.offset
            try await eventually("one minute", advancing: bench.clock, by: .milliseconds(500)) {
                bench.clock.now.offset >= probedAt + .seconds(60)
            }
            #expect(bench.site.asked.count == asked + 1)
            gate.open()
            try await eventually("every player is polled", advancing: bench.clock, by: .milliseconds(500)) {
                Set(bench.site.asked.dropFirst(asked + 1).map(\.player)).count == 10
            }
            #expect(bench.bench.log.lines.contains { $0.contains("resumed requests to the game site") })
        }
    }

    @Test("A site that times out for all players is left alone, and checks do not reach it")
    func timeOuts() async throws {
        let bench = try TurnsBench()
        bench.site.answerEverybody(with: .nothing)
        try await running(bench, players: 1...10) {
            try await eventually("it is left alone", advancing: bench.clock, by: .milliseconds(500)) {
                bench.bench.log.lines.contains { $0.contains("paused requests to the game site") }
            }
            try await eventually("no request is in flight", advancing: bench.clock, by: .milliseconds(100)) {
                bench.site.underWay == 0
            }
            bench.site.answerEverybody(with: .failure(.unreachable))
            try await eventually("pauses have grown", advancing: bench.clock, by: .seconds(1)) {
                bench.bench.log.lines.count { $0.contains("paused requests to the game site") } >= 6
            }
            let asked = bench.site.asked.count
            let answer = try await bench.get("/check/1")
            #expect(answer.status == .internalServerError && bench.site.asked.count == asked)
        }
    }

    @Test(
        "Failing checks of visitors do not affect the loop",
        arguments: [.failure(.timedOut), .status(500), .status(403)] as [ScriptedSite.Answer])
    func failingChecks(answer: ScriptedSite.Answer) async throws {
        let bench = try TurnsBench()
        bench.site.answer(about: 99, with: answer)
        try await running(bench, players: 1...2) {
            for _ in 0..<10 { #expect(try await bench.get("/check/99").status == .internalServerError) }
            for _ in 0..<10 { #expect(try await bench.get("/diagnostics/99").status == .serviceUnavailable) }
            for player in 1...2 { try await bench.untilAsked(Int64(player), 2) }
            #expect(bench.site.count(of: 99) == 20)
            #expect(!bench.bench.log.lines.contains { $0.contains("paused requests to the game site") })
        }
    }

    @Test(
        "An outage of the site does not count as the players' failures",
        arguments: [.status(502), .failure(.timedOut)] as [ScriptedSite.Answer])
    func outage(answer: ScriptedSite.Answer) async throws {
        let bench = try TurnsBench()
        bench.site.answerEverybody(with: answer)
        try await running(bench, players: 7...7) {
            let start = bench.clock.now.offset
            try await eventually("20 minutes", advancing: bench.clock, by: .seconds(2)) {
                bench.clock.now.offset - start >= .seconds(20 * 60)
            }
            let count = bench.site.asked.count
            try await bench.untilAsked(7, count + 1)
            bench.site.answerEverybody(with: .games)
            let last = bench.site.asked.count
            try await bench.untilAsked(7, last + 1)
            let times = bench.site.asked.map(\.at)
            // The limit is the longest pause plus an interval. A player with failures of their own would wait for 600
            // s.
            #expect(times[last] - times[last - 1] <= .seconds(345))
            try await eventually("it is back") {
                bench.bench.log.lines.contains { $0.contains("resumed requests to the game site") }
            }
        }
    }

    @Test("The registered players are read in pages, and again after a read fails")
    func loading() async throws {
        let first = try TurnsBench()
        for player in 1...1_203 { try await first.register("\(player)", token: "t") }
        let bench = try TurnsBench(on: first.bench.disk, clock: first.clock)
        let reads = ReadCounter()
        bench.bench.store.set {
            $0.beforeQuery = { query throws(StoreError) in
                guard case .collection(let path) = query.scope, path.description == "turnDevices" else { return }
                if reads.next() == 2 { throw .diskFull }
            }
        }
        try await bench.bench.running {
            try await eventually("every player has been polled", advancing: bench.clock, by: .milliseconds(200)) {
                counts(bench).count == 1_203
            }
            #expect(bench.bench.log.lines.contains { $0.contains("failed to read the registered players") })
        }
    }

    @Test("The loop ends with the gateway, even with requests in flight")
    func shutdown() async throws {
        let bench = try TurnsBench()
        bench.site.answerEverybody(with: .nothing)
        try await running(bench, players: 1...5) {
            try await eventually("a request is in flight", advancing: bench.clock, by: .milliseconds(500)) {
                bench.site.underWay > 0
            }
        }
        #expect(bench.site.underWay == 0)
        for failure in ["paused requests to the game site", "failed to check a player's games"] {
            #expect(!bench.bench.log.lines.contains { $0.contains(failure) })
        }
    }
}
