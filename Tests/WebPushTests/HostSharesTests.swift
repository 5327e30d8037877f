import Testing

@testable import WebPush

@Suite("Shares of the lanes that hosts have in common")
struct HostSharesTests {
    private static func use(_ turn: HostShares.Turn) -> HostShares.Use? {
        if case .now(let use) = turn { use } else { nil }
    }

    /// Uses all four places of a lane at once, for some time each.
    private func useAll(_ shares: inout HostShares, _ host: String, from start: Duration, to end: Duration) {
        let turns = (0..<4).map { _ in shares.begin(host, at: start) }
        for turn in turns {
            if let use = Self.use(turn) { shares.end(use, at: end) }
        }
    }

    @Test("A host that was slow with all places leaves them to others, and each further message gets a turn of its own")
    func slowHost() {
        var shares = HostShares()
        useAll(&shares, "slow", from: .zero, to: .seconds(3))
        let first = shares.begin("slow", at: .seconds(3))
        let second = shares.begin("slow", at: .seconds(3))
        let third = shares.begin("slow", at: .seconds(4))
        #expect(first == .later(.seconds(3)))
        #expect(second == .later(.milliseconds(4_500)))
        #expect(third == .later(.seconds(5)))
        let other = shares.begin("other", at: .seconds(4))
        #expect(Self.use(other) != nil)
        let atItsTurn = shares.begin("slow", at: .seconds(6))
        #expect(Self.use(atItsTurn) != nil)
    }

    @Test("A host that is known to be slow has two places at once")
    func places() {
        var shares = HostShares()
        useAll(&shares, "slow", from: .zero, to: .seconds(3))
        let turns = (0..<4).map { _ in shares.begin("slow", at: .seconds(60)) }
        #expect(turns.map { Self.use($0) != nil } == [true, true, false, false])
        for use in turns.compactMap(Self.use) { shares.end(use, at: .seconds(63)) }
        let next = shares.begin("slow", at: .seconds(63))
        #expect(Self.use(next) != nil)
    }

    @Test("One message after the other never waits, however slow the host is")
    func oneAfterTheOther() {
        var shares = HostShares()
        for number in 0..<100 {
            let start = Duration.seconds(5 * number)
            guard let use = Self.use(shares.begin("slow", at: start)) else {
                Issue.record("message \(number) waits")
                return
            }
            shares.end(use, at: start + .seconds(5))
        }
    }

    @Test("A quick host has all places for a while, and none of its messages waits for long")
    func quickHost() {
        var shares = HostShares()
        var quick = 0
        for step in 0..<1_000 {
            let start = Duration.milliseconds(50 * step)
            let turns = (0..<4).map { _ in shares.begin("quick", at: start) }
            for use in turns.compactMap(Self.use) {
                quick += 1
                shares.end(use, at: start + .milliseconds(50))
            }
            for case .later(let wait) in turns { #expect(wait <= .seconds(2)) }
            if quick < 4 * (step + 1) { break }
        }
        #expect((100...200).contains(quick))
        let later = shares.begin("quick", at: .seconds(60))
        #expect(Self.use(later) != nil)
    }

    @Test("Messages that come at their turns are sent in the time that two places take, and hardly any waits again")
    func longRun() {
        var shares = HostShares()
        var (time, sent, waits) = (Duration.zero, 0, 0)
        var ready = Array(repeating: Duration.zero, count: 200)
        var underWay: [(use: HostShares.Use, end: Duration)] = []
        while sent < 200, time < .seconds(10_000) {
            for one in underWay where one.end <= time {
                shares.end(one.use, at: time)
                sent += 1
            }
            underWay.removeAll { $0.end <= time }
            while underWay.count < 4, let index = ready.firstIndex(where: { $0 <= time }) {
                ready.remove(at: index)
                switch shares.begin("slow", at: time) {
                case .now(let use): underWay.append((use, time + .seconds(3)))
                case .later(let wait):
                    waits += 1
                    ready.append(time + wait)
                }
            }
            time += .milliseconds(500)
        }
        #expect(sent == 200 && waits < 250)
        #expect(time >= .seconds(300) && time < .seconds(330))
    }

    @Test("A wait has a limit, also behind many others")
    func longestWait() {
        var shares = HostShares()
        useAll(&shares, "slow", from: .zero, to: .seconds(10))
        for _ in 0..<1_000 {
            guard case .later(let wait) = shares.begin("slow", at: .seconds(10)) else {
                Issue.record("a message does not wait")
                return
            }
            #expect(wait <= .seconds(600))
        }
    }

    @Test("Many hosts do not fill memory, and do not give a host that has used its share another one")
    func memory() {
        var shares = HostShares()
        useAll(&shares, "slow", from: .zero, to: .seconds(3))
        for number in 0..<2 * HostShares.maximumCount {
            _ = shares.begin("host\(number)", at: .seconds(3))
        }
        let turn = shares.begin("slow", at: .seconds(3))
        #expect(Self.use(turn) == nil)
    }
}
