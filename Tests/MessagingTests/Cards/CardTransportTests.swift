import DocumentStore
import JSON
import TestDoubles
import Testing

@testable import Messaging

@Suite("The transport to cards", .timeLimit(.minutes(10)))
struct CardTransportTests {
    private static let phone = String(repeating: "ab", count: 80)
    private static let other = String(repeating: "cd", count: 80)
    private static let down = ChannelError(.unavailable, reason: "ServiceUnavailable", mayHaveHappened: true)

    private func aps(_ stage: CardStage, _ index: Int = 0) throws -> JSONValue {
        try #require(stage.phones.sent[index].message.message.apns?.payload["aps"])
    }

    // MARK: The start

    @Test("A card starts on its channel, which phones follow from the first moment, and is updated and ended there")
    func channel() async throws {
        let stage = try CardStage()
        try await stage.running {
            try await stage.settled(stage.start(on: [Self.phone, Self.other]))
            #expect(stage.phones.tokens.sorted() == [Self.phone, Self.other])
            let channel = try #require(stage.apple.current.channels.first)
            for index in 0..<2 {
                let aps = try aps(stage, index)
                #expect(aps["input-push-channel"] == .string(channel.rawValue) && aps["input-push-token"] == nil)
            }
            #expect(stage.phones.sent.allSatisfy { $0.message.lane.transport == .apns })
            #expect(stage.phones.sent.allSatisfy { $0.message.message.apns?.header("apns-collapse-id") == nil })
            try await stage.change(step: 1)
            try await stage.published([1])
            try await stage.change(.end(dismissal: nil), step: 2)
            try await stage.published([1, 2])
            #expect(stage.apple.current.created == 1 && stage.apple.current.ends == [channel])
        }
    }

    @Test("A card that gets no channel starts with an update token, and its phones are updated by it")
    func token() async throws {
        let stage = try CardStage(channelLimit: 0)
        try await stage.running {
            try await stage.settled(stage.start(on: [Self.phone]))
            #expect(try aps(stage)["input-push-token"] == 1)
            #expect(try aps(stage)["input-push-channel"] == nil)
            let shortages = stage.channels.shortages
            #expect(shortages.map(\.app) == [CardStage.app] && shortages.map(\.absence) == [.nearLimit])
            let address = CardAddress.token(RegistrationToken(Self.other), CardStage.app, isSlow: false)
            try await stage.settled(stage.change(step: 1, address: address))
            #expect(stage.phones.tokens == [Self.phone, Self.other])
            #expect(try aps(stage, 1)["content-state"] == ["step": 1])
            let begun = stage.clock.timestamp
            let update = try await stage.change(step: 2)
            try await stage.settled(update)
            #expect(try await stage.states(update) == [.rejected(.invalidArgument, reason: "CardHasNoChannel")])
            // It does not wait for a channel that never comes.
            #expect(stage.clock.timestamp - begun < .seconds(10))
        }
        #expect(stage.apple.current.broadcasts.isEmpty)
        stage.clock.advance(by: .seconds(3_600))
        #expect(stage.channels.shortages.isEmpty)
    }

    @Test("A card whose channel's creation had no answer waits, and starts on another channel")
    func lostCreation() async throws {
        let stage = try CardStage()
        try await stage.running {
            stage.apple.set { $0.losesAnswers = true }
            let start = try await stage.start(on: [Self.phone])
            try await eventually("the creation has no answer") { stage.apple.current.created == 1 }
            stage.apple.set { $0.losesAnswers = false }
            try await stage.settled(start)
            #expect(stage.apple.current.created == 2)
            #expect(try aps(stage)["input-push-channel"] == "channel2")
        }
        #expect(stage.phones.sent.count == 1)
    }

    @Test("A card whose channel a killed gateway was creating starts on another channel at the next gateway")
    func killedInCreation() async throws {
        let stage = try CardStage()
        let time = stage.clock.timestamp
        let intent = CardChannel(
            card: "c1", app: CardStage.app, state: .creating, at: time, dueAt: time.adding(.seconds(300)))
        let path = try CardChannel.path(of: "c1", CardStage.app)
        _ = try await stage.store.documents.commit([.create(path, intent.fields)])
        try await stage.running {
            try await stage.settled(stage.start(on: [Self.phone]))
            #expect(stage.clock.timestamp - time >= .seconds(70))
            #expect(try aps(stage)["input-push-channel"] == "channel1")
            try await stage.change(.end(dismissal: nil), step: 1)
            try await stage.published([1])
        }
    }

    @Test("While Apple's management of channels is away, a card starts with an update token after half a minute")
    func outage() async throws {
        let stage = try CardStage()
        stage.apple.set { $0.error = Self.down }
        try await stage.running {
            let begun = stage.clock.timestamp
            try await stage.settled(stage.start(on: [Self.phone]))
            #expect(stage.clock.timestamp - begun >= .seconds(29))
            #expect(try aps(stage)["input-push-token"] == 1)
        }
        #expect(stage.phones.sent.count == 1)
    }

    @Test("A card whose end comes before its start gets no channel, and no phone shows it")
    func endBeforeStart() async throws {
        let stage = try CardStage()
        try await stage.running {
            let end = try await stage.change(.end(dismissal: nil), step: 1)
            try await stage.settled(end)
            let start = try await stage.start(on: [Self.phone])
            try await stage.settled(start)
            #expect(try await stage.states(start) == [.rejected(.invalidArgument, reason: "CardEnded")])
        }
        #expect(stage.phones.sent.isEmpty && stage.apple.current.created == 0)
        let query = Query.collection(try CollectionPath(CardChannel.collection))
        #expect(try await stage.store.documents.count(query) == 1)
        stage.clock.advance(by: .seconds(3_600))
        await stage.channels.sweep()
        #expect(try await stage.store.documents.count(query) == 0)
    }

    @Test("A start that Apple refuses leaves a channel, which is deleted by its age")
    func refusedStart() async throws {
        let stage = try CardStage(ScriptedTransport { _ in .dead })
        try await stage.running {
            let start = try await stage.start(on: [Self.phone])
            try await stage.settled(start)
            #expect(try await stage.states(start) == [.rejected(.invalidArgument, reason: "Unregistered")])
        }
        stage.clock.advance(by: .seconds(8 * 3_600))
        await stage.channels.sweep()
        stage.clock.advance(by: .seconds(600))
        await stage.channels.sweep()
        #expect(stage.apple.current.channels.isEmpty && stage.apple.current.created == 1)
    }

    // MARK: The distance between updates

    @Test("Updates that follow another one too soon wait, and of these only the newest is sent")
    func coalescing() async throws {
        let stage = try CardStage()
        try await stage.running {
            try await stage.settled(stage.start(on: [Self.phone]))
            try await stage.change(step: 1)
            try await stage.published([1])
            let begun = stage.clock.timestamp
            let second = try await stage.change(step: 2)
            let third = try await stage.change(step: 3)
            let last = try await stage.change(step: 4)
            try await stage.settled(last)
            #expect(stage.published == [1, 4])
            #expect(stage.clock.timestamp - begun >= .seconds(5))
            for delivery in [second, third] {
                try await stage.settled(delivery)
                #expect(try await stage.states(delivery) == [.superseded])
            }
        }
    }

    @Test("An update that waits is sent after a restart, once")
    func restart() async throws {
        let stage = try CardStage()
        try await stage.running {
            try await stage.settled(stage.start(on: [Self.phone]))
            try await stage.change(step: 1)
            try await stage.published([1])
            let waiting = try await stage.change(step: 2)
            try await eventually("the update waits") {
                try await stage.states(waiting).allSatisfy { $0.isPending }
            }
        }
        let next = try CardStage(on: stage)
        try await next.running {
            try await eventually("the update is sent", advancing: stage.clock, by: .milliseconds(100)) {
                next.published == [1, 2]
            }
        }
        #expect(stage.phones.sent.count == 1 && next.phones.sent.isEmpty)
    }

    @Test("An update that needs somebody, and an end, wait for nothing, and no older update follows them")
    func urgent() async throws {
        let stage = try CardStage()
        try await stage.running {
            try await stage.settled(stage.start(on: [Self.phone]))
            try await stage.change(step: 1)
            try await stage.published([1])
            let calm = try await stage.change(step: 2)
            try await stage.change(step: 3, isUrgent: true)
            try await stage.published([1, 3])
            let late = try await stage.change(step: 4)
            try await stage.change(.end(dismissal: nil), step: 5)
            try await stage.published([1, 3, 5])
            for delivery in [calm, late] {
                try await stage.settled(delivery)
                #expect(try await stage.states(delivery) == [.superseded])
            }
            let after = try await stage.change(step: 6)
            try await stage.settled(after)
            #expect(try await stage.states(after) == [.rejected(.invalidArgument, reason: "CardEnded")])
        }
        #expect(stage.published == [1, 3, 5])
        #expect(stage.apple.current.broadcasts.map(\.priority) == [5, 10, 5])
    }

    @Test("Updates to phones without frequent updates keep twelve times the distance")
    func slow() async throws {
        let stage = try CardStage()
        try await stage.running {
            try await stage.settled(stage.start(on: [Self.phone]))
            try await stage.change(step: 1, isSlow: true)
            try await stage.published([1])
            let begun = stage.clock.timestamp
            try await stage.settled(stage.change(step: 2, isSlow: true))
            #expect(stage.published == [1, 2])
            #expect(stage.clock.timestamp - begun >= .seconds(60))
        }
    }

    @Test("The cards of different runs do not wait for each other")
    func independence() async throws {
        let stage = try CardStage()
        try await stage.running {
            for card in ["c1", "c2"] { try await stage.settled(stage.start(on: [Self.phone], card: card)) }
            try await stage.change(step: 1)
            try await stage.published([1])
            try await stage.change(step: 2, card: "c2")
            try await stage.published([1, 2])
        }
    }

    // MARK: Failures

    @Test("While Apple is unavailable updates wait, and then the newest is sent; an end is published by the sweep")
    func outageOfUpdates() async throws {
        let stage = try CardStage()
        try await stage.running {
            try await stage.settled(stage.start(on: [Self.phone]))
            stage.apple.set { $0.error = Self.down }
            let requests = stage.apple.current.requests
            try await stage.change(step: 1)
            try await eventually("the update fails") { stage.apple.current.requests > requests }
            let second = try await stage.change(step: 2)
            stage.apple.set { $0.error = nil }
            try await stage.settled(second)
            #expect(stage.published == [2])
            stage.apple.set { $0.error = Self.down }
            try await stage.settled(stage.change(.end(dismissal: nil), step: 3))
            stage.apple.set { $0.error = nil }
        }
        #expect(stage.apple.current.ends.isEmpty)
        stage.clock.advance(by: .seconds(60))
        await stage.channels.sweep()
        #expect(stage.published == [2, 3])
    }

    @Test(
        "Each kind of failure of a broadcast is an outcome of the update",
        arguments: [
            (ChannelError(.wrongApp, reason: "TopicMismatch"), "TopicMismatch"),
            (ChannelError(.invalidRequest, reason: "PayloadEmpty"), "PayloadEmpty"),
            (ChannelError(.featureOff, reason: "FeatureNotEnabled"), "FeatureNotEnabled"),
            (ChannelError(.unknownChannel, reason: "ChannelNotRegistered"), "CardHasNoChannel"),
        ] as [(ChannelError, String)])
    func rejections(error: ChannelError, reason: String) async throws {
        let stage = try CardStage()
        try await stage.running {
            try await stage.settled(stage.start(on: [Self.phone]))
            stage.apple.set { $0.error = error }
            let update = try await stage.change(step: 1)
            try await stage.settled(update)
            #expect(try await stage.states(update) == [.rejected(.invalidArgument, reason: reason)])
        }
    }

    @Test("A message without the content of a Live Activity is rejected")
    func otherMessage() async throws {
        let stage = try CardStage()
        try await stage.running {
            let draft = Draft(
                message: .sample(), source: "test", registrationFields: RegistrationFields(token: "token"))
            let address = CardAddress.channel(of: "c1", CardStage.app, isSlow: false)
            let delivery = try await stage.outbox.accept(draft, to: [Target(address: address, registration: nil)])
            try await stage.settled(delivery)
            #expect(try await stage.states(delivery) == [.rejected(.invalidArgument, reason: "NotALiveActivity")])
        }
    }
}

@Suite("The distance between updates of a card")
struct CardPaceTests {
    private let one = RegistrationToken("one")
    private let other = RegistrationToken("other")
    private let start = ManualClock.start

    private func at(_ seconds: Double) -> Timestamp { start.adding(.seconds(seconds)) }

    @Test("An update waits for the rest of the interval since the last one to its address, and no other")
    func distance() {
        var pace = CardPace<RegistrationToken>()
        #expect(pace.wait(of: one, atLeast: .seconds(5), at: at(0)) == nil)
        #expect(pace.wait(of: one, atLeast: .seconds(5), at: at(2)) == .seconds(3))
        #expect(pace.wait(of: other, atLeast: .seconds(5), at: at(2)) == nil)
        #expect(pace.wait(of: one, atLeast: .seconds(5), at: at(5)) == nil)
        pace.note(one, at: at(9))
        #expect(pace.wait(of: one, atLeast: .seconds(5), at: at(10)) == .seconds(4))
        pace.forget(one)
        #expect(pace.wait(of: one, atLeast: .seconds(5), at: at(10)) == nil)
    }

    @Test("A clock that was set back, and an interval of 0, make nothing wait")
    func noWait() {
        var pace = CardPace<RegistrationToken>()
        pace.note(one, at: at(100))
        #expect(pace.wait(of: one, atLeast: .seconds(5), at: at(50)) == nil)
        #expect(pace.wait(of: one, atLeast: .zero, at: at(50)) == nil)
    }

    @Test("A limited number of addresses is remembered")
    func capacity() {
        var pace = CardPace<RegistrationToken>(capacity: 2)
        pace.note(one, at: at(0))
        pace.note(other, at: at(0))
        pace.note(RegistrationToken("third"), at: at(0))
        #expect(pace.wait(of: one, atLeast: .seconds(5), at: at(1)) == nil)
        #expect(pace.wait(of: RegistrationToken("third"), atLeast: .seconds(5), at: at(1)) == .seconds(4))
    }
}
