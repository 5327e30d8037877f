import TestDoubles
import Testing

@testable import Functions

@Suite("Schedule of polls", .timeLimit(.minutes(10)))
struct PollScheduleTests {
    private struct Poll {
        let player: Int64
        let at: Duration
    }

    private static let interval = Duration.seconds(30)

    private static func player(_ number: Int) throws -> PlayerID { try #require(PlayerID("\(number)")) }

    private static func schedule(loading players: Int) throws -> PollSchedule {
        var schedule = PollSchedule(interval: interval, start: .zero)
        var generator = SeededGenerator(seed: 2)
        for number in 1...players {
            schedule.load(try player(number), jitter: .random(in: 0..<1, using: &generator))
        }
        return schedule
    }

    /// Runs all polls between two times. Each poll takes a moment.
    private static func run(
        _ schedule: inout PollSchedule, from start: Duration, to end: Duration, jitter seed: UInt64 = 1,
        outcome: (Int64) -> PollSchedule.Outcome = { _ in .done }
    ) -> [Poll] {
        var generator = SeededGenerator(seed: seed)
        var polls: [Poll] = []
        var now = start
        while now < end {
            while let permit = schedule.next(at: now) {
                polls.append(Poll(player: permit.player.number, at: now))
                schedule.finish(
                    permit, outcome(permit.player.number), at: now, date: now.components.seconds,
                    jitter: .random(in: 0..<1, using: &generator))
            }
            now += max(schedule.pause(at: now) ?? interval, .microseconds(1))
        }
        return polls
    }

    /// Returns the number of polls in each second, without the last second.
    private static func perSecond(_ polls: [Poll], from first: Int64) -> [Int] {
        var counts: [Int64: Int] = [:]
        for poll in polls { counts[poll.at.components.seconds, default: 0] += 1 }
        let last = polls.map(\.at.components.seconds).max() ?? first
        return (first..<last).map { counts[$0] ?? 0 }
    }

    @Test("10,000 players are polled evenly from the start, each once per interval")
    func evenness() throws {
        var schedule = try Self.schedule(loading: 10_000)
        let polls = Self.run(&schedule, from: .zero, to: .seconds(125))
        #expect(polls.first.map { $0.at >= .seconds(5) } == true)
        let counts = Self.perSecond(polls, from: 6)
        #expect(counts.count == 118)
        #expect(counts.allSatisfy { (310...355).contains($0) }, "\(counts)")
        let times = Dictionary(grouping: polls, by: \.player).mapValues { $0.map(\.at) }
        #expect(times.count == 10_000)
        for times in times.values {
            for (time, next) in zip(times, times.dropFirst()) {
                #expect((Duration.seconds(29.5)...Duration.seconds(30.5)).contains(next - time))
            }
        }
    }

    @Test("A few players are polled one after the other, the first one after 5 seconds", arguments: [1, 2, 3, 7])
    func few(players: Int) throws {
        var schedule = try Self.schedule(loading: players)
        let polls = Self.run(&schedule, from: .zero, to: .seconds(35))
        #expect(polls.count == players && polls.first?.at.components.seconds == 5)
        for (poll, next) in zip(polls, polls.dropFirst()) {
            #expect(next.at - poll.at >= Self.interval / (3 * players))
        }
    }

    @Test("A player who registers is polled 5 seconds later and then evenly with others")
    func registration() throws {
        var schedule = try Self.schedule(loading: 1)
        var now = Duration.seconds(100)
        for number in 2...1_000 {
            _ = Self.run(&schedule, from: now, to: now + .milliseconds(1))
            schedule.register(try Self.player(number), at: now)
            now += .milliseconds(1)
        }
        let polls = Self.run(&schedule, from: now, to: now + .seconds(120))
        let counts = Self.perSecond(polls, from: (now + .seconds(60)).components.seconds)
        #expect(counts.allSatisfy { (29...38).contains($0) }, "\(counts)")
        // The first polls are spread even for many new players.
        #expect(Self.perSecond(polls, from: now.components.seconds).allSatisfy { $0 <= 75 })
        let times = Dictionary(grouping: polls, by: \.player).mapValues { $0.map(\.at) }
        for number in 2...1_000 {
            let times = try #require(times[Int64(number)])
            #expect(times[0] >= .seconds(105) && times[0] < .seconds(121))
            #expect((Duration.seconds(14)...Duration.seconds(46)).contains(times[1] - times[0]))
        }
    }

    @Test("A player who registers alone is polled 5 seconds later, despite constant polls of others")
    func registersAlone() throws {
        var schedule = try Self.schedule(loading: 300)
        _ = Self.run(&schedule, from: .zero, to: .seconds(61))
        schedule.register(try Self.player(1_000), at: .seconds(61))
        let polls = Self.run(&schedule, from: .seconds(61), to: .seconds(120)).filter { $0.player == 1_000 }
        #expect(try #require(polls.first).at - .seconds(66) < .milliseconds(100))
    }

    @Test("Polls missed in a pause are not caught up, and polling resumes without a burst")
    func pause() throws {
        var schedule = try Self.schedule(loading: 3_000)
        _ = Self.run(&schedule, from: .zero, to: .seconds(60))
        let polls = Self.run(&schedule, from: .seconds(400), to: .seconds(490))
        #expect(Self.perSecond(polls, from: 400).allSatisfy { $0 <= 220 })
        let counts = Dictionary(grouping: polls, by: \.player).mapValues(\.count)
        #expect(counts.count == 3_000 && counts.values.allSatisfy { (2...4).contains($0) })
        let later = Self.run(&schedule, from: .seconds(490), to: .seconds(550))
        #expect(Self.perSecond(later, from: 491).allSatisfy { (90...110).contains($0) })
    }

    @Test("A player whose polls fail is polled ever more rarely until they register again")
    func failures() throws {
        var schedule = try Self.schedule(loading: 2)
        let polls = Self.run(&schedule, from: .zero, to: .seconds(3_600)) { $0 == 2 ? .failed : .done }
        let failed = polls.filter { $0.player == 2 }.map(\.at)
        let gaps = zip(failed, failed.dropFirst()).map { Int((($1 - $0) / Self.interval).rounded()) }
        #expect(gaps.starts(with: [1, 1, 2, 4, 8, 16, 20, 20]))
        #expect(polls.count { $0.player == 1 } == 120)
        schedule.register(try Self.player(2), at: .seconds(3_600))
        let after = Self.run(&schedule, from: .seconds(3_600), to: .seconds(3_720)).filter { $0.player == 2 }
        #expect(after.count == 5 && after.first?.at == .seconds(3_605))
    }

    @Test("A poll that is put off counts neither as a failure nor as a look")
    func putOff() throws {
        var schedule = try Self.schedule(loading: 1)
        let polls = Self.run(&schedule, from: .zero, to: .seconds(605)) { _ in .putOff }
        #expect(polls.count == 20)
        let player = try Self.player(1)
        #expect(schedule.lastLook(at: player) == nil)
        _ = Self.run(&schedule, from: .seconds(605), to: .seconds(635))
        #expect(schedule.lastLook(at: player) == 605)
    }

    @Test("A poll that is put off waits at most an interval, whatever the player's failures")
    func putOffAfterFailures() throws {
        var schedule = try Self.schedule(loading: 1)
        _ = Self.run(&schedule, from: .zero, to: .seconds(3_000)) { _ in .failed }
        let polls = Self.run(&schedule, from: .seconds(3_000), to: .seconds(5_000)) { _ in .putOff }
        #expect(polls.count > 40)
        for (poll, next) in zip(polls, polls.dropFirst()) { #expect(next.at - poll.at <= Self.interval * 1.02) }
    }

    @Test("Hanging polls leave slots for players whose polls are answered")
    func doubtful() throws {
        var schedule = PollSchedule(interval: Self.interval, start: .zero, atOnce: 4)
        for number in 1...20 { schedule.load(try Self.player(number)) }
        var hanging: [(permit: PollSchedule.PollPermit, end: Duration)] = []
        var looks: [Int64: Int] = [:]
        var now = Duration.zero
        while now < .seconds(360) {
            for hung in hanging where hung.end <= now { schedule.finish(hung.permit, .failed, at: now) }
            hanging.removeAll { $0.end <= now }
            while hanging.count < 4, let permit = schedule.next(at: now) {
                if now >= .seconds(120) { looks[permit.player.number, default: 0] += 1 }
                if permit.player.number <= 10 {
                    hanging.append((permit, now + .seconds(10)))
                } else {
                    schedule.finish(permit, .done, at: now)
                }
            }
            // All ten players have hung once by then.
            if now >= .seconds(120) { #expect(hanging.count <= 2) }
            now += .milliseconds(100)
        }
        #expect((11...20).allSatisfy { looks[$0] == 8 }, "\(looks)")
        #expect((1...10).allSatisfy { looks[$0, default: 0] > 0 }, "\(looks)")
    }

    @Test("A player is removed unless they registered since the poll began")
    func removal() throws {
        var schedule = try Self.schedule(loading: 1)
        let player = try Self.player(1)
        let first = schedule.next(at: .seconds(5.5))
        schedule.register(player, at: .seconds(6))
        let beside = schedule.next(at: .seconds(100))
        #expect(beside == nil, "a player has one poll at a time")
        schedule.remove(try #require(first), at: .seconds(7))
        let tooEarly = schedule.next(at: .seconds(11.9))
        #expect(tooEarly == nil)
        let second = schedule.next(at: .seconds(12))
        schedule.remove(try #require(second), at: .seconds(101))
        let pause = schedule.pause(at: .seconds(101))
        #expect(schedule.count == 0 && pause == nil)
        schedule.register(player, at: .seconds(200))
        schedule.register(player, at: .seconds(201))
        let looks = [204.9, 205, 300].map { schedule.next(at: .seconds($0)) != nil }
        #expect(looks == [false, true, false])
    }

    @Test("Registering repeatedly does not delay a player's first poll")
    func registersOften() throws {
        var schedule = try Self.schedule(loading: 1)
        let player = try Self.player(7)
        var polls: [Poll] = []
        for second in 100..<160 {
            schedule.register(player, at: .seconds(second))
            polls += Self.run(&schedule, from: .seconds(second), to: .seconds(second + 1)).filter { $0.player == 7 }
        }
        #expect(polls.first?.at == .seconds(105) && (8...13).contains(polls.count))
    }

    @Test("Polls stay even while players leave and others come")
    func churn() throws {
        var schedule = try Self.schedule(loading: 3_000)
        var gone = 0
        var now = Duration.seconds(5)
        while now < .seconds(36) {
            while let permit = schedule.next(at: now) {
                gone += 1
                if permit.player.number.isMultiple(of: 2) {
                    schedule.remove(permit, at: now)
                } else {
                    schedule.finish(permit, .done, at: now)
                }
            }
            now += max(schedule.pause(at: now) ?? .seconds(1), .microseconds(1))
        }
        #expect(schedule.count == 1_500)
        for number in 4_001...5_500 { schedule.register(try Self.player(number), at: now) }
        let polls = Self.run(&schedule, from: now, to: now + .seconds(150))
        let counts = Self.perSecond(polls, from: (now + .seconds(90)).components.seconds)
        #expect(counts.allSatisfy { (90...110).contains($0) }, "\(counts)")
    }
}
