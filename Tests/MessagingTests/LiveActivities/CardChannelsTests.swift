import DocumentStore
import JSON
import TestDoubles
import Testing

@testable import Messaging

@Suite("Channels of cards", .timeLimit(.minutes(10)))
struct CardChannelsTests {
    private let clock = ManualClock()
    private let store: TemporaryStore
    private let apple = ScriptedChannels()
    private let app = AppIdentity(bundleID: "com.example.app", environment: "production")

    init() throws { store = try TemporaryStore(clock: clock, fieldIndexes: CardChannels.fieldIndexes) }

    private func owner(
        _ service: (any ChannelService)? = nil, store: (any DocumentStore)? = nil, limit: Int = 9_000
    ) -> CardChannels {
        var limits = CardChannels.Limits()
        limits.channels = limit
        return CardChannels(
            service ?? apple, store: store ?? self.store.documents, admitting: store ?? self.store.documents,
            limits: limits, now: { [clock] in clock.timestamp }, logger: .silent)
    }

    private func broadcast(_ event: LiveActivity.Event = .update) throws -> ChannelBroadcast {
        let seconds = clock.seconds
        return try LiveActivity(event, timestamp: seconds, contentState: [:])
            .broadcast(at: seconds, expiration: seconds + 3_600)
    }

    private func documents() async throws -> [Document] {
        try await store.documents.documents(matching: try CardChannels.queryOfAll())
    }

    private func channel(_ grant: CardChannelGrant) throws -> ChannelID {
        guard case .channel(let channel) = grant else {
            Issue.record("there is no channel: \(grant)")
            return ChannelID(rawValue: "")
        }
        return channel
    }

    // MARK: The life of a channel

    @Test("Each card has a channel of its own, and gets the same one again, also from another gateway")
    func own() async throws {
        let owner = owner()
        let first = try await channel(owner.open(for: "r1", of: app))
        let second = try await channel(owner.open(for: "r2", of: app))
        #expect(first != second)
        #expect(try await owner.open(for: "r1", of: app) == .channel(first))
        #expect(try await self.owner().open(for: "r1", of: app) == .channel(first))
        let sandbox = AppIdentity(bundleID: "com.example.app", environment: "sandbox")
        #expect(try await channel(owner.open(for: "r1", of: sandbox)) != first)
        #expect(apple.current.created == 3)
    }

    @Test("An ended card's channel stays until phones that were off know of the end, and is then deleted")
    func life() async throws {
        let owner = owner()
        let id = try await channel(owner.open(for: "r1", of: app))
        #expect(try await owner.publish(broadcast(), for: "r1", of: app) == .published)
        #expect(try await owner.end(broadcast(.end(dismissal: nil)), for: "r1", of: app) == .published)
        #expect(apple.current.ends == [id])
        #expect(try await owner.publish(broadcast(), for: "r1", of: app) == .absent(.ended))
        #expect(try await owner.open(for: "r1", of: app) == .absent(.ended))
        clock.advance(by: .seconds(599))
        await owner.sweep()
        #expect(apple.current.channels == [id])
        clock.advance(by: .seconds(1))
        await owner.sweep()
        #expect(apple.current.channels.isEmpty)
        #expect(try await documents().isEmpty)
    }

    @Test("A start that is tried again after its card's channel was deleted starts nothing, while it has not expired")
    func lateStart() async throws {
        let owner = owner()
        let id = try await channel(owner.open(for: "r1", of: app))
        _ = try await owner.end(broadcast(.end(dismissal: nil)), for: "r1", of: app)
        clock.advance(by: .seconds(600))
        await owner.sweep()
        #expect(apple.current.channels.isEmpty)
        clock.advance(by: .seconds(2_999))
        await owner.sweep()
        #expect(try await owner.open(for: "r1", of: app) == .absent(.ended))
        #expect(apple.current.created == 1)
        clock.advance(by: .seconds(1))
        await owner.sweep()
        let query = Query.collection(try CollectionPath(CardChannel.collection))
        #expect(try await store.documents.count(query) == 0)
        #expect(try await owner.open(for: "r1", of: app) != .channel(id))
    }

    @Test("The remembered ends of cards without a channel take no room of channels")
    func roomBesideEnds() async throws {
        let owner = owner(limit: 2)
        for card in ["r1", "r2", "r3"] {
            let end = try broadcast(.end(dismissal: nil))
            #expect(try await owner.end(end, for: card, of: app) == .absent(.notAvailable))
        }
        for card in ["r4", "r5"] { _ = try await channel(owner.open(for: card, of: app)) }
        #expect(try await owner.open(for: "r6", of: app) == .absent(.nearLimit))
    }

    @Test("A card that nobody ends is ended after eight hours, and its channel is deleted")
    func forgotten() async throws {
        let owner = owner()
        let id = try await channel(owner.open(for: "r1", of: app))
        clock.advance(by: .seconds(8 * 3_600 - 1))
        await owner.sweep()
        #expect(apple.current.ends.isEmpty)
        clock.advance(by: .seconds(1))
        await owner.sweep()
        #expect(apple.current.ends == [id])
        clock.advance(by: .seconds(600))
        await owner.sweep()
        #expect(apple.current.channels.isEmpty)
        #expect(try await documents().isEmpty)
    }

    @Test("An end that Apple does not take is published by the sweep, after a crash too")
    func lateEnd() async throws {
        let owner = owner()
        let id = try await channel(owner.open(for: "r1", of: app))
        let down = ChannelError(.unavailable, reason: "ServiceUnavailable", retryAfter: .seconds(60))
        apple.set { $0.error = down }
        let note = try DocumentPath("notes/1")
        let result = try await owner.end(
            broadcast(.end(dismissal: nil)), for: "r1", of: app, alongside: [.create(note, [:])])
        #expect(result == .failed(down))
        #expect(try await store.documents.document(at: note) != nil)
        apple.set { $0.error = nil }
        let next = self.owner()
        clock.advance(by: .seconds(59))
        await next.sweep()
        #expect(apple.current.ends.isEmpty)
        clock.advance(by: .seconds(1))
        await next.sweep()
        #expect(apple.current.ends == [id] && apple.current.channels == [id])
    }

    @Test("A channel that Apple no longer knows is forgotten")
    func gone() async throws {
        let owner = owner()
        _ = try await owner.open(for: "r1", of: app)
        apple.set { $0.channels = [] }
        #expect(try await owner.publish(broadcast(), for: "r1", of: app) == .absent(.gone))
        #expect(try await documents().isEmpty)
    }

    // MARK: No channel

    @Test("Without a service, and for an app without channels, a card gets none, and its end's writes are committed")
    func notAvailable() async throws {
        let strange = AppIdentity(bundleID: "strange")
        #expect(try await owner().open(for: "r1", of: strange) == .absent(.notAvailable))
        let none = CardChannels(
            nil, store: store.documents, admitting: store.documents, now: { [clock] in clock.timestamp },
            logger: .silent)
        #expect(try await none.open(for: "r1", of: app) == .absent(.notAvailable))
        let note = try DocumentPath("notes/1")
        let end = try broadcast(.end(dismissal: nil))
        #expect(try await none.end(end, for: "r1", of: app, alongside: [.create(note, [:])]) == .absent(.notAvailable))
        #expect(try await store.documents.document(at: note) != nil)
    }

    @Test("Near the limit a card gets the room of one that has ended, and none if there is no such")
    func nearLimit() async throws {
        let owner = owner(limit: 2)
        let first = try await channel(owner.open(for: "r1", of: app))
        _ = try await owner.open(for: "r2", of: app)
        #expect(try await owner.open(for: "r3", of: app) == .absent(.nearLimit))
        _ = try await owner.end(broadcast(.end(dismissal: nil)), for: "r1", of: app)
        let third = try await channel(owner.open(for: "r3", of: app))
        #expect(third != first && !apple.current.channels.contains(first))
        #expect(apple.current.peak == 2)
    }

    @Test("If Apple says that there are too many channels, ended cards make room for the next card at once")
    func limitReached() async throws {
        let owner = owner()
        let first = try await channel(owner.open(for: "r1", of: app))
        _ = try await owner.end(broadcast(.end(dismissal: nil)), for: "r1", of: app)
        apple.set { $0.limit = 1 }
        #expect(try await owner.open(for: "r2", of: app) == .absent(.limitReached))
        #expect(!apple.current.channels.contains(first))
        _ = try await channel(owner.open(for: "r2", of: app))
        #expect(try await owner.open(for: "r3", of: app) == .absent(.limitReached))
        // Now there is nothing to delete, so Apple is not asked again for a minute.
        let requests = apple.current.requests
        #expect(try await owner.open(for: "r3", of: app) == .absent(.limitReached))
        #expect(apple.current.requests == requests)
    }

    @Test("The channels of others count, and are never deleted")
    func strangers() async throws {
        let stranger = ChannelID(rawValue: "stranger")
        apple.set { $0.channels = [stranger] }
        let owner = owner(limit: 2)
        _ = try await owner.open(for: "r1", of: app)
        #expect(try await owner.open(for: "r2", of: app) == .absent(.nearLimit))
        clock.advance(by: .seconds(9 * 3_600))
        for _ in 0..<3 {
            await owner.sweep()
            clock.advance(by: .seconds(3_600))
        }
        #expect(apple.current.channels == [stranger])
    }

    @Test("The channels of others that are gone make room, ten minutes later at most")
    func goneStrangers() async throws {
        let strangers = ["s1", "s2"].map(ChannelID.init(rawValue:))
        apple.set { $0.channels = Set(strangers) }
        let owner = owner(limit: 2)
        #expect(try await owner.open(for: "r1", of: app) == .absent(.nearLimit))
        apple.set { $0.channels = [strangers[0]] }
        let requests = apple.current.requests
        #expect(try await owner.open(for: "r1", of: app) == .absent(.nearLimit))
        #expect(apple.current.requests == requests)
        clock.advance(by: .seconds(600))
        _ = try await channel(owner.open(for: "r1", of: app))
        #expect(try await owner.open(for: "r2", of: app) == .absent(.nearLimit))
        #expect(try await self.owner(limit: 2).open(for: "r2", of: app) == .absent(.nearLimit))
        #expect(apple.current.channels.contains(strangers[0]) && apple.current.created == 1)
    }

    @Test(
        "After an error Apple is not asked for a while, and nothing is left behind",
        arguments: [
            (ChannelError(.limitReached, reason: "CannotCreateChannelConfig"), .limitReached, 60),
            (ChannelError(.featureOff, reason: "FeatureNotEnabled"), .featureOff, 3_600),
            (ChannelError(.refused, reason: "InvalidProviderToken"), .refused, 300),
            (ChannelError(.wrongApp, reason: "TopicMismatch"), .refused, 300),
            (ChannelError(.unavailable, reason: "TooManyRequests", retryAfter: .seconds(20)), .unavailable, 20),
        ] as [(ChannelError, CardChannelAbsence, Int64)])
    func pause(error: ChannelError, absence: CardChannelAbsence, seconds: Int64) async throws {
        let owner = owner()
        _ = try await owner.open(for: "r1", of: app)
        apple.set { $0.error = error }
        #expect(try await owner.open(for: "r2", of: app) == .absent(absence))
        #expect(try await documents().count == 1)
        let requests = apple.current.requests
        apple.set { $0.error = nil }
        clock.advance(by: .seconds(seconds - 1))
        #expect(try await owner.open(for: "r2", of: app) == .absent(absence))
        #expect(apple.current.requests == requests)
        clock.advance(by: .seconds(1))
        _ = try await channel(owner.open(for: "r2", of: app))
    }

    // MARK: Crashes

    @Test("The channel of a creation without an answer is found and deleted, and those of others are not")
    func lostAnswer() async throws {
        apple.set { $0.channels = [ChannelID(rawValue: "stranger")] }
        let owner = owner()
        apple.set { $0.losesAnswers = true }
        #expect(try await owner.open(for: "r1", of: app) == .absent(.unavailable))
        #expect(try await owner.open(for: "r1", of: app) == .absent(.unavailable))
        apple.set { $0.losesAnswers = false }
        #expect(apple.current.channels.count == 2 && apple.current.created == 1)
        clock.advance(by: .seconds(300))
        await owner.sweep()
        let live = try await channel(owner.open(for: "r2", of: app))
        clock.advance(by: .seconds(300))
        await owner.sweep()
        #expect(apple.current.channels == [ChannelID(rawValue: "stranger"), live])
        #expect(try await documents().count == 1)
        _ = try await channel(owner.open(for: "r1", of: app))
    }

    @Test("A card whose channel's creation had no answer gets another one, and the lost one is deleted")
    func secondAttempt() async throws {
        let owner = owner()
        apple.set { $0.losesAnswers = true }
        #expect(try await owner.open(for: "r1", of: app) == .absent(.unavailable))
        apple.set { $0.losesAnswers = false }
        clock.advance(by: .seconds(10))
        let id = try await channel(owner.open(for: "r1", of: app))
        #expect(apple.current.created == 2 && apple.current.channels.count == 2)
        for _ in 0..<3 {
            clock.advance(by: .seconds(300))
            await owner.sweep()
        }
        #expect(apple.current.channels == [id])
        #expect(try await owner.publish(broadcast(), for: "r1", of: app) == .published)
        #expect(try await documents().count == 1)
    }

    @Test("A creation that a killed gateway began is waited for, then set aside, and its late answer gives no channel")
    func abandonedCreation() async throws {
        let answer = Gate()
        let slow = SlowChannels(apple, until: answer)
        let hanging = owner(slow)
        let late = Task { [app] in try await hanging.open(for: "r1", of: app) }
        try await eventually("Apple creates a channel") { apple.current.created == 1 }
        let next = owner()
        clock.advance(by: .seconds(69))
        #expect(try await next.open(for: "r1", of: app) == .absent(.beingCreated))
        clock.advance(by: .seconds(1))
        let id = try await channel(next.open(for: "r1", of: app))
        // The first process was only slow: its channel is of no use, and it deletes it.
        answer.open()
        await #expect(throws: StoreError.self) { try await late.value }
        #expect(apple.current.channels == [id])
        #expect(try await next.open(for: "r1", of: app) == .channel(id))
    }

    @Test("The end of a card whose channel's creation was never finished keeps the card from starting")
    func endAfterAbandonment() async throws {
        let observed = ObservedStore(store.documents)
        let killed = owner(store: observed)
        // The learned strangers and the intent are stored; the opened channel is not.
        let commits = Tally()
        observed.set { hooks in
            hooks.beforeCommit = { _ throws(StoreError) in
                commits.add()
                if commits.count > 2 { throw StoreError(.unavailable, "killed") }
            }
        }
        _ = try? await killed.open(for: "r1", of: app)
        let next = owner()
        let end = try broadcast(.end(dismissal: nil))
        #expect(try await next.end(end, for: "r1", of: app) == .absent(.beingCreated))
        clock.advance(by: .seconds(70))
        #expect(try await next.end(end, for: "r1", of: app) == .absent(.notAvailable))
        #expect(try await next.open(for: "r1", of: app) == .absent(.ended))
    }

    @Test("A creation that loses its answer while another one is searched for is searched for too")
    func lateLoss() async throws {
        let owner = owner()
        apple.set { $0.losesAnswers = true }
        _ = try await owner.open(for: "r1", of: app)
        clock.advance(by: .seconds(300))
        await owner.sweep()
        _ = try await owner.open(for: "r2", of: app)
        // Apple gives no list until the second creation is as old as the first one was.
        apple.set { state in
            state.losesAnswers = false
            state.error = ScriptedChannels.noAnswer
        }
        clock.advance(by: .seconds(300))
        await owner.sweep()
        clock.advance(by: .seconds(15))
        apple.set { $0.error = nil }
        for _ in 0..<3 {
            await owner.sweep()
            clock.advance(by: .seconds(300))
        }
        await owner.sweep()
        #expect(apple.current.created == 2 && apple.current.channels.isEmpty)
        #expect(try await documents().isEmpty)
    }

    @Test("An app that loses the capability loses its channels, and their documents are forgotten")
    func capabilityLost() async throws {
        let owner = owner()
        for card in ["r1", "r2"] { _ = try await owner.open(for: card, of: app) }
        _ = try await owner.end(broadcast(.end(dismissal: nil)), for: "r1", of: app)
        apple.set { state in
            state.channels = []
            state.error = ChannelError(.featureOff, reason: "FeatureNotEnabled")
        }
        clock.advance(by: .seconds(9 * 3_600))
        await owner.sweep()
        #expect(try await documents().isEmpty)
    }

    @Test("A deletion that Apple refuses for the app is repeated once an hour, not with each sweep")
    func refusedDeletion() async throws {
        let owner = owner()
        _ = try await owner.open(for: "r1", of: app)
        _ = try await owner.end(broadcast(.end(dismissal: nil)), for: "r1", of: app)
        apple.set { $0.error = ChannelError(.wrongApp, reason: "AppNotConfigured") }
        clock.advance(by: .seconds(600))
        await owner.sweep()
        let requests = apple.current.requests
        clock.advance(by: .seconds(3_599))
        await owner.sweep()
        #expect(apple.current.requests == requests)
        apple.set { $0.error = nil }
        clock.advance(by: .seconds(1))
        await owner.sweep()
        #expect(apple.current.channels.isEmpty)
        #expect(try await documents().isEmpty)
    }

    @Test("Room is made among the ended channels of an app also if another app has many that ended before")
    func roomBesideOthers() async throws {
        let owner = owner(limit: 61)
        let other = AppIdentity(bundleID: "com.example.other", environment: "production")
        for number in 0..<60 {
            _ = try await owner.open(for: "o\(number)", of: other)
            _ = try await owner.end(broadcast(.end(dismissal: nil)), for: "o\(number)", of: other)
        }
        clock.advance(by: .seconds(1))
        let first = try await channel(owner.open(for: "r0", of: app))
        for number in 1..<61 { _ = try await owner.open(for: "r\(number)", of: app) }
        _ = try await owner.end(broadcast(.end(dismissal: nil)), for: "r0", of: app)
        _ = try await channel(owner.open(for: "r61", of: app))
        #expect(!apple.current.channels.contains(first))
    }

    @Test("If another program has created channels beside a lost creation, none is deleted")
    func ambiguous() async throws {
        let owner = owner()
        apple.set { $0.losesAnswers = true }
        _ = try await owner.open(for: "r1", of: app)
        apple.set { state in
            state.losesAnswers = false
            state.channels.insert(ChannelID(rawValue: "other"))
        }
        for _ in 0..<3 {
            clock.advance(by: .seconds(300))
            await owner.sweep()
        }
        #expect(apple.current.channels.count == 2)
        #expect(try await documents().isEmpty)
    }

    @Test("After a kill at any moment no channel leaks, and no document stays")
    func kills() async throws {
        for moment in 0..<40 {
            let (clock, countdown) = (ManualClock(), Countdown(moment))
            let store = try TemporaryStore(clock: clock, fieldIndexes: CardChannels.fieldIndexes)
            let apple = ScriptedChannels { () throws(ChannelError) in
                if countdown.isOver() { throw ScriptedChannels.noAnswer }
            }
            let observed = ObservedStore(store.documents)
            observed.set { hooks in
                hooks.beforeCommit = { _ throws(StoreError) in
                    if countdown.isOver() { throw StoreError(.unavailable, "killed") }
                }
            }
            func owner(_ store: any DocumentStore) -> CardChannels {
                CardChannels(
                    apple, store: store, admitting: store, now: { clock.timestamp }, logger: .silent)
            }
            let killed = owner(observed)
            for card in ["r1", "r2"] {
                _ = try? await killed.open(for: card, of: app)
                _ = try? await killed.end(broadcast(.end(dismissal: nil)), for: card, of: app)
            }
            clock.advance(by: .seconds(600))
            await killed.sweep()

            countdown.stop()
            let next = owner(store.documents)
            for _ in 0..<4 {
                clock.advance(by: .seconds(9 * 3_600))
                await next.sweep()
            }
            #expect(apple.current.channels.isEmpty, "killed at \(moment)")
            let query = Query.collection(try CollectionPath(CardChannel.collection))
            #expect(try await store.documents.count(query) == 0, "killed at \(moment)")
        }
    }
}

/// Apple's channels, whose answer to a creation comes when a gate opens.
private final class SlowChannels: ChannelService {
    private let base: ScriptedChannels
    private let answer: Gate

    init(_ base: ScriptedChannels, until answer: Gate) {
        self.base = base
        self.answer = answer
    }

    func resolved(_ app: AppIdentity) -> AppIdentity? { base.resolved(app) }

    func create(for app: AppIdentity, storing: ChannelStorage) async throws(ChannelError) -> ChannelID {
        let id = try await base.create(for: app, storing: storing)
        await answer.pass()
        return id
    }

    func channels(of app: AppIdentity) async throws(ChannelError) -> Set<ChannelID> {
        try await base.channels(of: app)
    }

    func delete(_ channel: ChannelID, of app: AppIdentity) async throws(ChannelError) {
        try await base.delete(channel, of: app)
    }

    func publish(
        _ broadcast: ChannelBroadcast, to channel: ChannelID, of app: AppIdentity
    ) async throws(ChannelError) {
        try await base.publish(broadcast, to: channel, of: app)
    }
}
