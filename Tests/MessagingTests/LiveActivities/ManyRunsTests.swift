import DocumentStore
import JSON
import TestDoubles
import Testing

@testable import Messaging

@Suite("Channels of 10,000 runs in an hour", .timeLimit(.minutes(30)))
struct ManyRunsTests {
    @Test("10,000 runs in an hour, of ten minutes on average, have at most 3,700 channels at a time, and leave none")
    func hour() async throws {
        let hour = try Hour()
        let channels = try await hour.play()
        let apple = hour.apple.current
        print("channels of 10,000 runs in an hour: at most \(apple.peak) at a time")
        #expect(apple.peak <= 3_700 && apple.created == Hour.runs)
        try await expectEnds(of: channels, in: hour)
    }

    @Test("A gateway that is killed 60 times in the hour ends all cards, gives no channel twice, and leaves none")
    func kills() async throws {
        let hour = try Hour()
        let channels = try await hour.play(kills: 60)
        let apple = hour.apple.current
        print("with 60 kills: at most \(apple.peak) at a time, of which \(apple.created - Hour.runs) lost their answer")
        #expect(apple.peak <= 4_500)
        // Some kills were between Apple's creation and the commit of its answer.
        #expect(apple.created > Hour.runs)
        try await expectEnds(of: channels, in: hour)
    }

    private func expectEnds(of channels: [String: ChannelID], in hour: Hour) async throws {
        let apple = hour.apple.current
        #expect(channels.count == Hour.runs && Set(channels.values).count == Hour.runs)
        #expect(apple.ends.isSuperset(of: channels.values))
        #expect(apple.channels.isEmpty)
        let query = Query.collection(try CollectionPath(CardChannel.collection))
        #expect(try await hour.store.documents.count(query) == 0)
    }
}

/// An hour of runs by the clock of the test. The gateway can be killed before each commit, and before and after each
/// request to Apple; the next one has the documents alone.
private struct Hour: Sendable {
    static let runs = 10_000
    private static let startsInStep = 10
    private static let step = Duration.milliseconds(3_600)
    /// The shortest and the longest run, in steps: 1 and 19 minutes.
    private static let lengths = 17...317
    private static let stepsBetweenSweeps = 4
    private static let app = AppIdentity(bundleID: "com.example.app", environment: "production")

    let apple: ScriptedChannels
    let store: TemporaryStore
    private let clock = ManualClock()
    private let countdown: Countdown

    init() throws {
        let countdown = Countdown()
        self.countdown = countdown
        apple = ScriptedChannels { () throws(ChannelError) in
            if countdown.isOver() { throw ScriptedChannels.noAnswer }
        }
        store = try TemporaryStore(clock: clock, fieldIndexes: CardChannels.fieldIndexes)
    }

    /// Plays the hour, and the time until nothing is left to do.
    ///
    /// - Returns: the channels on which the cards started.
    func play(kills: Int = 0) async throws -> [String: ChannelID] {
        var random = SeededGenerator(seed: 46)
        let steps = Self.runs / Self.startsInStep
        var (starts, ends): ([Int: [String]], [Int: [String]]) = ([:], [:])
        for number in 0..<Self.runs {
            let start = number / Self.startsInStep
            starts[start, default: []].append("r\(number)")
            ends[start + random.number(Self.lengths), default: []].append("r\(number)")
        }
        var killed: Set<Int> = []
        while killed.count < kills { killed.insert(random.number(1...steps)) }

        var gateway = self.gateway()
        var (toStart, toEnd): ([String], [String]) = ([], [])
        var channels: [String: ChannelID] = [:]
        var step = 0
        while step <= steps + Self.lengths.upperBound || !toStart.isEmpty || !toEnd.isEmpty {
            if killed.contains(step) { countdown.start(random.number(0...60)) }
            toStart += starts[step] ?? []
            toEnd += ends[step] ?? []
            channels.merge(try await start(toStart, at: gateway)) { $1 }
            toStart.removeAll { channels[$0] != nil }
            if kills == 0 { #expect(toStart.isEmpty) }
            let ended = try await end(toEnd.filter { channels[$0] != nil }, at: gateway)
            toEnd.removeAll { ended.contains($0) }
            if step % Self.stepsBetweenSweeps == 0 { await gateway.sweep() }
            if countdown.hasEnded {
                countdown.stop()
                gateway = self.gateway()
                await gateway.sweep()
            }
            clock.advance(by: Self.step)
            step += 1
        }
        countdown.stop()
        for _ in 0..<8 {
            clock.advance(by: .seconds(600))
            await gateway.sweep()
        }
        return channels
    }

    private func gateway() -> CardChannels {
        let observed = ObservedStore(store.documents)
        observed.set { [countdown] hooks in
            hooks.beforeCommit = { _ throws(StoreError) in
                if countdown.isOver() { throw StoreError(.unavailable, "killed") }
            }
        }
        return CardChannels(
            apple, store: observed, admitting: observed, now: { [clock] in clock.timestamp }, logger: .silent)
    }

    /// Returns the channels of the cards that got one. The others are tried again, as a dispatcher does.
    private func start(_ cards: [String], at gateway: CardChannels) async throws -> [String: ChannelID] {
        let grants = try await concurrently(cards, limit: 50) { card in
            (card: card, grant: try? await gateway.open(for: card, of: Self.app))
        }
        var channels: [String: ChannelID] = [:]
        for (card, grant) in grants {
            switch grant {
            case .channel(let channel)?: channels[card] = channel
            // It was killed, or a killed one was creating the channel.
            case nil, .absent(.beingCreated)?, .absent(.unavailable)?: break
            case .absent(let absence)?: Issue.record("\(card) gets no channel: \(absence)")
            }
        }
        return channels
    }

    /// Returns the cards whose end is stored.
    private func end(_ cards: [String], at gateway: CardChannels) async throws -> Set<String> {
        let seconds = clock.seconds
        let broadcast = try LiveActivity(.end(dismissal: nil), timestamp: seconds, contentState: [:])
            .broadcast(at: seconds, expiration: seconds + 4 * 3_600)
        let results = try await concurrently(cards, limit: 50) { card in
            (card: card, result: try? await gateway.end(broadcast, for: card, of: Self.app))
        }
        var ended: Set<String> = []
        for (card, result) in results {
            switch result {
            case .published?, .failed?, .absent(.ended)?: ended.insert(card)
            case nil: break
            case .absent(let absence)?: Issue.record("\(card) has no channel at its end: \(absence)")
            }
        }
        return ended
    }
}
