import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import Synchronization
import TestDoubles
import Testing

@Suite("Turns: notifications", .timeLimit(.minutes(10)))
struct TurnsNotificationTests {
    private static func game(_ id: Int64, lastMove: Int64, turnOf player: Int64 = 7) -> JSONValue {
        ScriptedSite.game(id, "game \(id)", turnOf: player, lastMove: lastMove)
    }

    private static func shown(_ sent: [ScriptedTransport.Sent]) -> [String?] {
        sent.map(\.message.message.notification?.body)
    }

    private func lastMoves(_ bench: TurnsBench, of player: String = "7") async throws -> Fields? {
        try await bench.bench.documents(in: "turnPlayers").first { $0.path.id == player }?["lastMoves"]?.map
    }

    /// Waits until the site has been asked once more and the answer is processed.
    private func untilLookedAgain(_ bench: TurnsBench, _ player: Int64 = 7) async throws {
        let count = bench.site.count(of: player)
        try await bench.untilAsked(player, count + 2)
    }

    @Test("A game that is already the player's turn is notified once, 5 seconds after the registration")
    func first() async throws {
        let bench = try TurnsBench()
        bench.site.play([Self.game(1, lastMove: 100), Self.game(2, lastMove: 100, turnOf: 8)])
        try await bench.bench.running {
            let start = bench.clock.now.offset
            try await bench.register()
            try await bench.untilSent(1, by: .milliseconds(250))
            #expect(try #require(bench.site.asked.first).at >= start + .seconds(5))
            try await untilLookedAgain(bench)
            #expect(Self.shown(bench.sent) == ["It's your turn in: game 1"])
            #expect(bench.sent.map(\.token) == ["token-1"])
            #expect(try await lastMoves(bench) == ["1": .integer(100)])
        }
    }

    @Test("New turns are notified together and each once")
    func several() async throws {
        let bench = try TurnsBench()
        bench.site.play([Self.game(1, lastMove: 500), Self.game(2, lastMove: 100, turnOf: 8)])
        try await bench.bench.running {
            try await bench.register()
            try await bench.untilSent(1)
            // The move in the second game is older than the notified one.
            bench.site.play([Self.game(1, lastMove: 500), Self.game(2, lastMove: 400)])
            try await bench.untilSent(2)
            bench.site.play([Self.game(3, lastMove: 700), Self.game(1, lastMove: 600), Self.game(2, lastMove: 400)])
            try await bench.untilSent(3)
            try await untilLookedAgain(bench)
            #expect(
                Self.shown(bench.sent) == [
                    "It's your turn in: game 1", "It's your turn in: game 2", "It's your turn in 2 games",
                ])
            let last = try #require(bench.sent.last?.message.message.apns?.payload)
            #expect(last["game_id"] == 3 && last["aps"]?["badge"] == 2)
            #expect(
                try await lastMoves(bench) == ["1": .integer(600), "2": .integer(400), "3": .integer(700)])
        }
    }

    @Test("A notification that replaces one that was not accepted is about the games of both, where it is still a turn")
    func replacement() async throws {
        let isDown = Mutex(true)
        let accepted = Mutex<[String?]>([])
        let transport = ScriptedTransport { sent in
            if isDown.withLock({ $0 }) { return .busy(retryAfter: .seconds(60)) }
            accepted.withLock { $0.append(sent.message.message.notification?.body) }
            return .accepted
        }
        let bench = try TurnsBench(transport)
        try await bench.bench.running {
            try await bench.register()
            bench.site.play([Self.game(1, lastMove: 500), Self.game(2, lastMove: 500)])
            try await bench.untilSent(1)
            // The player has made the move in the second game.
            bench.site.play([
                Self.game(1, lastMove: 500), Self.game(2, lastMove: 600, turnOf: 8), Self.game(3, lastMove: 600),
                Self.game(4, lastMove: 600),
            ])
            try await eventually("the new games are noted", advancing: bench.clock, by: .milliseconds(500)) {
                try await lastMoves(bench)?["4"] != nil
            }
            isDown.withLock { $0 = false }
            try await eventually("the second is accepted", advancing: bench.clock, by: .milliseconds(500)) {
                accepted.withLock { !$0.isEmpty }
            }
            #expect(accepted.withLock { $0 } == ["It's your turn in 3 games"])
            try await eventually("both are settled", advancing: bench.clock, by: .milliseconds(500)) {
                try await bench.bench.documents(in: "messages").allSatisfy { $0["settledAt"] != nil }
            }
            // It was accepted, so the next one is about its own game alone.
            bench.site.play([Self.game(1, lastMove: 500), Self.game(3, lastMove: 600), Self.game(5, lastMove: 700)])
            try await eventually("the next one is accepted", advancing: bench.clock, by: .milliseconds(500)) {
                accepted.withLock { $0.count == 2 }
            }
            #expect(accepted.withLock(\.last) == "It's your turn in: game 5")
        }
    }

    @Test("The record of finished games is removed with the next notification")
    func pruning() async throws {
        let bench = try TurnsBench()
        bench.site.play([Self.game(1, lastMove: 500), Self.game(2, lastMove: 400)])
        try await bench.bench.running {
            try await bench.register()
            try await bench.untilSent(1)
            bench.site.play([Self.game(3, lastMove: 600), Self.game(2, lastMove: 450, turnOf: 8)])
            try await bench.untilSent(2)
            #expect(try await lastMoves(bench) == ["2": .integer(400), "3": .integer(600)])
        }
    }

    @Test("A game that the site lists twice is notified once, by its last move")
    func listedTwice() async throws {
        let bench = try TurnsBench()
        bench.site.play([Self.game(1, lastMove: 500), Self.game(1, lastMove: 400)])
        try await bench.bench.running {
            try await bench.register()
            try await bench.untilSent(1)
            try await untilLookedAgain(bench)
            #expect(try await lastMoves(bench) == ["1": .integer(500)])
            #expect(bench.sent.count == 1)
        }
    }

    @Test("A look without new turns writes nothing")
    func noWrites() async throws {
        let bench = try TurnsBench()
        bench.site.play([Self.game(1, lastMove: 500)])
        try await bench.bench.running {
            try await bench.register()
            try await bench.untilSent(1)
            try await eventually("the message is settled") {
                try await bench.bench.disk.documents.documents(matching: .collectionGroup("messages"))
                    .first?["settledAt"] != nil
            }
            try await untilLookedAgain(bench)
            let commits = Mutex(0)
            bench.bench.store.set { $0.beforeCommit = { _ in commits.withLock { $0 += 1 } } }
            try await untilLookedAgain(bench)
            try await untilLookedAgain(bench)
            #expect(commits.withLock { $0 } == 0)
        }
    }

    @Test("A new device gets only new turns")
    func anotherDevice() async throws {
        let bench = try TurnsBench()
        bench.site.play([Self.game(1, lastMove: 500)])
        try await bench.bench.running {
            try await bench.register()
            try await bench.untilSent(1)
            try await bench.register(token: "token-2")
            try await untilLookedAgain(bench)
            #expect(bench.sent.count == 1)
            bench.site.play([Self.game(1, lastMove: 501)])
            try await bench.untilSent(2)
            #expect(bench.sent.map(\.token) == ["token-1", "token-2"])
        }
    }

    @Test("A player with an unregistered token is polled again only after registering, and then notified again")
    func deadToken() async throws {
        let bench = try TurnsBench(ScriptedTransport { $0.token == "dead" ? .dead : .accepted })
        bench.site.play([Self.game(1, lastMove: 500)])
        bench.site.play([], by: 8)
        try await bench.bench.running {
            try await bench.register(token: "dead")
            try await bench.register("8")
            try await eventually("the device is gone", advancing: bench.clock, by: .milliseconds(500)) {
                try await bench.bench.documents(in: "turnDevices").map(\.path.id) == ["8"]
            }
            let count = bench.site.count(of: 7)
            try await untilLookedAgain(bench, 8)
            try await untilLookedAgain(bench, 8)
            #expect(bench.site.count(of: 7) == count)
            try await bench.register(token: "alive")
            try await bench.untilSent(2)
            try await bench.register(token: "alive")
            try await bench.untilAsked(7, count + 4)
            #expect(bench.sent.map(\.token) == ["dead", "alive"])
            bench.site.play([Self.game(1, lastMove: 501)])
            try await bench.untilSent(3)
            #expect(bench.sent.last?.token == "alive")
        }
    }

    @Test("A restart neither repeats nor skips a turn and polls every registered player")
    func restart() async throws {
        let first = try TurnsBench()
        first.site.play([Self.game(1, lastMove: 500)])
        try await first.bench.running {
            try await first.register()
            try await first.register("8", token: "token-8")
            try await first.untilSent(1)
            try await first.untilStored()
        }
        first.clock.advance(by: .seconds(3_600))
        first.site.play([Self.game(1, lastMove: 500), Self.game(2, lastMove: 400)])
        let second = try TurnsBench(on: first.bench.disk, clock: first.clock, site: first.site)
        let before = (first.site.count(of: 7), first.site.count(of: 8))
        try await second.bench.running {
            try await second.untilAsked(7, before.0 + 2)
            try await second.untilAsked(8, before.1 + 2)
            #expect(Self.shown(second.sent) == ["It's your turn in: game 2"])
        }
        #expect(Self.shown(first.sent) == ["It's your turn in: game 1"])
    }

    @Test("Two concurrent looks notify the player once")
    func concurrency() async throws {
        let clock = ManualClock()
        let first = try TurnsBench(clock: clock)
        let second = try TurnsBench(on: first.bench.disk, clock: clock, site: first.site)
        let both = Gate()
        first.site.play([Self.game(1, lastMove: 500)])
        first.site.answerEverybody(with: .held(both))
        try await first.register()
        try await first.bench.running {
            try await second.bench.running {
                try await eventually("two requests", advancing: clock, by: .milliseconds(500)) { both.waiting == 2 }
                // Both have read the last notification before either of them writes.
                let reached = Mutex(0)
                let written = Gate()
                for bench in [first, second] {
                    bench.bench.store.set {
                        $0.beforeCommit = { writes in
                            guard writes.contains(where: { $0.path.description == "turnPlayers/7" }) else { return }
                            let isLast = reached.withLock { count in
                                count += 1
                                return count == 2
                            }
                            if isLast { written.open() } else { await written.pass() }
                        }
                    }
                }
                both.open()
                try await eventually("one of them notifies the player") { first.sent.count + second.sent.count >= 1 }
                try await first.untilStored()
                for bench in [first, second] { bench.bench.store.set { $0 = ObservedStore.Hooks() } }
                try await untilLookedAgain(first)
                // Their dispatchers do not know of each other, so either may send what it finds on disk.
                #expect(try await first.bench.documents(in: "messages").count == 1)
                let lines = first.bench.log.lines + second.bench.log.lines
                #expect(!lines.contains { $0.contains("failed to check a player's games") })
            }
        }
    }

    @Test("A check and a look at the same moment notify the player once, and the check lists the turn as new")
    func checkBesideLook() async throws {
        let bench = try TurnsBench()
        bench.site.play([Self.game(1, lastMove: 500)])
        try await bench.register()
        // The check has read the last notification before the look writes, and writes after it.
        let reached = Mutex(0)
        let written = Gate()
        bench.bench.store.set {
            $0.beforeCommit = { writes in
                guard writes.contains(where: { $0.path.description == "turnPlayers/7" }) else { return }
                let isFirst = reached.withLock { count in
                    count += 1
                    return count == 1
                }
                if isFirst { await written.pass() }
            }
        }
        try await withThrowingTaskGroup(of: FunctionResponse.self) { group in
            group.addTask { try await bench.get("/check/7") }
            try await eventually("the check is about to commit") { written.waiting == 1 }
            try await bench.bench.running {
                try await bench.untilSent(1)
                written.open()
                let answer = try #require(try await group.next())
                #expect(answer == .json(.ok, ["not_your_turn": [], "your_turn_new": [1], "your_turn_old": []]))
                try await untilLookedAgain(bench)
            }
        }
        #expect(bench.sent.count == 1)
        #expect(try await bench.bench.documents(in: "messages").count == 1)
        #expect(!bench.bench.log.lines.contains { $0.contains("unexpected error") })
    }

    @Test("A check that notifies commits the message and the record together, and a full store notifies nobody")
    func checkWithoutRoom() async throws {
        let bench = try TurnsBench()
        bench.site.play([Self.game(1, lastMove: 500)])
        try await bench.register()
        let paths = Mutex<[[String]]>([])
        bench.bench.store.set {
            $0.beforeCommit = { writes throws(StoreError) in
                paths.withLock { $0.append(writes.map(\.path.collection.id)) }
                throw .diskFull
            }
        }
        #expect(try await bench.get("/check/7").status == .serviceUnavailable)
        let commits = paths.withLock(\.self)
        #expect(commits.count == 1 && commits[0].contains("turnPlayers") && commits[0].contains("messages"))
        bench.bench.store.set { $0 = ObservedStore.Hooks() }
        #expect(try await bench.bench.documents(in: "messages").isEmpty)
        let again = try await bench.get("/check/7")
        #expect(again == .json(.ok, ["not_your_turn": [], "your_turn_new": [1], "your_turn_old": []]))
        #expect(try await bench.bench.documents(in: "messages").count == 1)
    }

    @Test("A turn whose commit fails is notified at the next look")
    func storeFailure() async throws {
        let bench = try TurnsBench()
        for player in 7...8 as ClosedRange<Int64> {
            bench.site.play([Self.game(1, lastMove: 500, turnOf: player)], by: player)
            try await bench.register("\(player)")
        }
        let failures = Mutex(0)
        bench.bench.store.set {
            $0.beforeCommit = { writes throws(StoreError) in
                guard writes.contains(where: { $0.path.description.hasPrefix("turnPlayers/") }) else { return }
                failures.withLock { $0 += 1 }
                throw .diskFull
            }
        }
        try await bench.bench.running {
            try await eventually("the commit fails", advancing: bench.clock, by: .milliseconds(500)) {
                failures.withLock(\.self) >= 6
            }
            for player in 7...8 {
                let body = try await bench.get("/diagnostics/\(player)").body
                let lookedAt = body["last_server_check_time"]?.integer
                #expect(lookedAt == bench.clock.timestamp.seconds, "a failed look does not count")
            }
            bench.bench.store.set { $0 = ObservedStore.Hooks() }
            try await bench.untilSent(2)
            func said(_ line: String) -> Int { bench.bench.log.lines.count { $0.contains(line) } }
            try await eventually("it says so") { said("notice resumed checking players' games") == 1 }
            #expect(said("error failing to check players' games") == 1)
            #expect(said("debug failed to check a player's games") >= 5)
            #expect(Set(bench.sent.map(\.token)).count == 1 && bench.sent.count == 2)
        }
    }

    @Test("The record of a player who returns during the clean-up stays, and others go at the next one")
    func cleanUpBesideNotification() async throws {
        let bench = try TurnsBench()
        let job = try #require(bench.bench.system.jobs.first)
        let players = try ["7", "8"].map { try CollectionPath("turnPlayers").document($0) }
        @Sendable func note(_ path: DocumentPath, _ time: Timestamp) async throws(StoreError) {
            let fields: Fields = ["notifiedAt": .timestamp(time), "lastMoves": .map(["1": .integer(5)])]
            _ = try await bench.bench.disk.documents.commit([.set(path, fields)])
        }
        for path in players { try await note(path, bench.clock.timestamp) }
        bench.clock.advance(by: .seconds(31 * 24 * 60 * 60))
        bench.bench.store.set {
            $0.beforeCommit = { _ throws(StoreError) in try await note(players[0], bench.clock.timestamp) }
        }
        try await job.run()
        #expect(try await bench.bench.documents(in: "turnPlayers").count == 2)
        bench.bench.store.set { $0 = ObservedStore.Hooks() }
        try await job.run()
        #expect(try await bench.bench.documents(in: "turnPlayers").map(\.path.id) == ["7"])
    }

    @Test("The records of players who left are removed after 30 days, and no others")
    func cleanUp() async throws {
        let bench = try TurnsBench(ScriptedTransport { $0.token == "dead" ? .dead : .accepted })
        bench.site.play([Self.game(1, lastMove: 500)])
        bench.site.play([Self.game(1, lastMove: 500, turnOf: 8)], by: 8)
        let job = try #require(bench.bench.system.jobs.first)
        try await bench.bench.running {
            try await bench.register(token: "dead")
            try await bench.register("8")
            try await bench.untilSent(2)
            try await eventually("the device is gone") {
                try await bench.bench.documents(in: "turnDevices").count == 1
            }
        }
        try await job.run()
        #expect(try await bench.bench.documents(in: "turnPlayers").count == 2)
        bench.clock.advance(by: .seconds(31 * 24 * 60 * 60))
        try await job.run()
        #expect(try await bench.bench.documents(in: "turnPlayers").map(\.path.id) == ["8"])
    }
}
