import DocumentStore
import JSON
import TestDoubles
import Testing

@testable import Messaging

@Suite("The cards of runs", .timeLimit(.minutes(10)))
struct CardsTests {
    private static let one = String(repeating: "ab", count: 80)
    private static let other = String(repeating: "cd", count: 80)
    private static let update = String(repeating: "ef", count: 80)

    private func progress(_ text: String) -> CardEvent { .progress(CardProgress(text: text)) }

    private func cards(_ stage: CardStage) async throws -> [Document] {
        try await stage.store.documents.documents(
            matching: .collection(try CollectionPath(CardDocument.collection)))
    }

    // MARK: The life of a card

    @Test("A run's card starts on all phones, is updated by its channel alone, calls for an approval, and ends")
    func life() async throws {
        let stage = try CardStage()
        for (id, token) in [("a", Self.one), ("b", Self.other)] { try await stage.register(id, startToken: token) }
        try await stage.running {
            let reach = try await stage.cards.take(.started(CardProgress(text: "Reading")), of: stage.run())
            #expect(reach.devices == 2)
            try await stage.allSettled()
            #expect(stage.phones.tokens.sorted() == [Self.one, Self.other])
            let start = try #require(stage.phones.sent.first?.message.message.apns)
            let aps = start.payload["aps"]
            #expect(start.header("apns-priority") == "5" && start.header("apns-push-type") == "liveactivity")
            #expect(aps?["event"] == "start" && aps?["attributes-type"] == "RunActivityAttributes")
            #expect(
                aps?["attributes"] == ["run_id": "r1", "title": "my-repo", "card": .string(reach.card ?? "")])
            #expect(aps?["alert"] == ["title": "my-repo", "body": "Reading"])
            #expect(aps?["content-state"]?["text"] == "Reading")
            #expect(aps?["stale-date"] == .integer((aps?["timestamp"]?.integer ?? 0) + 900))

            stage.clock.advance(by: .seconds(10))
            try await stage.cards.take(progress("Building"), of: stage.run())
            try await stage.allSettled()
            let approval = CardApproval(id: "a-1", expiresAt: stage.clock.seconds + 600)
            try await stage.cards.take(.approvalNeeded(approval), of: stage.run())
            try await stage.allSettled()
            try await stage.cards.take(.ended(.failed, text: "Tests fail"), of: stage.run())
            try await stage.allSettled()
            #expect(stage.contents.map { $0?["state"] } == ["running", "waiting", "failed"])
            #expect(stage.contents[1]?["approval"]?["id"] == "a-1")
            #expect(stage.apple.current.broadcasts.map(\.priority) == [5, 10, 5])
            let end = try JSONValue(parsing: try #require(stage.apple.current.broadcasts.last).payload)["aps"]
            #expect(end?["event"] == "end")
            #expect(end?["dismissal-date"] == .integer((end?["timestamp"]?.integer ?? 0) + 900))
        }
        #expect(stage.phones.sent.count == 2)
    }

    @Test("A device without a push-to-start token gets one notification, which each change replaces")
    func browser() async throws {
        let stage = try CardStage()
        try await stage.register("browser", startToken: nil)
        try await stage.register("phone", startToken: Self.one)
        try await stage.running {
            let card = try await stage.cards.take(progress("Reading"), of: stage.run()).card
            try await stage.allSettled()
            stage.clock.advance(by: .seconds(10))
            try await stage.cards.take(
                .approvalNeeded(CardApproval(id: "a-1", expiresAt: 2_000_000_000, text: "Push?")), of: stage.run())
            try await stage.allSettled()
            try await stage.cards.take(.ended(.failed, text: "Tests fail"), of: stage.run())
            try await stage.allSettled()
            let shown = stage.phones.sent.filter { $0.token == "device-browser" }.map(\.message.message)
            #expect(shown.allSatisfy { $0.notification?.title == "my-repo" })
            #expect(shown.map { $0.notification?.body } == ["Reading", "Needs you · Push?", "Failed · Tests fail"])
            // A replacement has no sound without `renotify`, and the system notifies of the end by itself.
            let notices: [JSONValue?] = [["silent": true], ["renotify": true], ["silent": true]]
            #expect(shown.map { $0.webpush?["notification"] } == notices)
            let states = shown.map { $0.webpush?["data"]?["state"]?.string }
            #expect(states == ["running", "waiting", "failed"])
            #expect(shown.allSatisfy { $0.webpush?["data"]?["run_id"] == "r1" && $0.data["state"] == nil })
            #expect(shown.allSatisfy { $0.apns?.header("apns-collapse-id") == card })
            #expect(shown.allSatisfy { $0.data["type"] == "card" && $0.data["run_id"] == "r1" })
        }
        #expect(stage.phones.tokens.filter { $0 == Self.one }.count == 1)
    }

    @Test("A run that no device shows has no card, and devices that know nothing of cards get nothing")
    func noDevices() async throws {
        let stage = try CardStage()
        let fields = CardStage.fields.fields(of: PushAddress(token: "old"))
        _ = try await stage.store.documents.commit([.set(try CardStage.devices.document("old"), fields)])
        let run = try stage.run()
        #expect(try await stage.cards.take(progress("Reading"), of: run) == .unshown)
        #expect(try await stage.cards.take(.ended(.finished, text: nil), of: run) == .nobody)
        #expect(try await cards(stage).isEmpty)
        let messages = try await stage.store.documents.count(.collectionGroup(OutboxDocuments.messages))
        #expect(messages == 0)
    }

    @Test("A phone that is registered twice shows one card, and each app in each environment has a channel")
    func apps() async throws {
        let stage = try CardStage()
        let sandbox = AppIdentity(bundleID: "com.example.app", environment: "sandbox")
        try await stage.register("a", startToken: Self.one)
        try await stage.register("b", startToken: Self.one.uppercased())
        try await stage.register("c", startToken: Self.other, isSlow: true, app: sandbox)
        try await stage.running {
            #expect(try await stage.cards.take(progress("Reading"), of: stage.run()).devices == 2)
            try await stage.allSettled()
        }
        #expect(stage.phones.tokens.sorted() == [Self.one, Self.other])
        #expect(stage.apple.current.created == 2)
        let apps = try #require(try await cards(stage).first.flatMap { CardDocument($0) }?.apps)
        #expect(Set(apps) == [.init(identity: CardStage.app, isSlow: false), .init(identity: sandbox, isSlow: true)])
    }

    @Test("A phone of the gateway's inbox gets the start and the updates by its token")
    func inbox() async throws {
        let stage = try CardStage()
        try await stage.register("a", startToken: "emulated:phone")
        try await stage.running {
            try await stage.cards.take(progress("Reading"), of: stage.run())
            try await stage.allSettled()
            try await stage.cards.take(progress("Building"), of: stage.run())
            try await stage.allSettled()
        }
        #expect(stage.phones.tokens == ["emulated:phone", "emulated:phone"])
        #expect(stage.sentContents.map { $0?["text"] } == ["Reading", "Building"])
        #expect(stage.apple.current.created == 0)
    }

    @Test("Reports that come in another order change nothing, and one that people cannot see is stored without a push")
    func order() async throws {
        let stage = try CardStage()
        try await stage.register("a", startToken: "emulated:phone")
        func report(_ number: Int64, _ text: String) async throws {
            try await stage.cards.take(.progress(CardProgress(text: text, sequence: number)), of: stage.run())
            try await stage.allSettled()
        }
        try await stage.running {
            try await report(1, "Reading")
            try await report(3, "Building")
            try await report(2, "Planning")
            try await report(5, "Building")
            try await report(4, "Testing")
            try await report(6, "Done")
        }
        #expect(stage.sentContents.map { $0?["text"] } == ["Reading", "Building", "Done"])
        let card = try #require(try await cards(stage).first.flatMap { CardDocument($0) })
        #expect(card.state.sequence == 6)
    }

    @Test("A phone at a relay gets the start, the changes and the end at its present address")
    func relayed() async throws {
        let stage = try CardStage()
        let path = try CardStage.devices.document("a")
        func register(_ token: String) async throws {
            let address = PushAddress(transport: .relay, token: RegistrationToken(token))
            var fields = CardStage.fields.fields(of: address)
            fields[CardRegistration.field] = CardRegistration(startToken: nil).value
            _ = try await stage.store.documents.commit([.set(path, fields)])
        }
        try await register("relay:push.example.com/a")
        try await stage.running {
            try await stage.cards.take(progress("Reading"), of: stage.run())
            try await stage.allSettled()
            try await register("relay:push.example.com/b")
            try await stage.cards.take(progress("Building"), of: stage.run())
            try await stage.allSettled()
            try await stage.cards.take(.ended(.finished, text: nil), of: stage.run())
            try await stage.allSettled()
        }
        let sent = stage.phones.sent
        let events = sent.map { $0.message.message.apns?.payload["aps"]?["event"]?.string }
        #expect(events == ["start", "update", "end"])
        #expect(
            sent.map(\.token) == ["relay:push.example.com/a"] + Array(repeating: "relay:push.example.com/b", count: 2))
        #expect(sent.allSatisfy { $0.message.lane.transport == .relay } && stage.apple.current.created == 0)
    }

    // MARK: After the end

    @Test("After the end of a run nothing starts another card for it")
    func over() async throws {
        let stage = try CardStage()
        try await stage.register("a", startToken: Self.one)
        let run = try stage.run()
        let card = try await stage.cards.take(progress("Reading"), of: run).card
        #expect(try await stage.cards.take(.ended(.finished, text: nil), of: run).card == card)
        stage.clock.advance(by: .seconds(3_600))
        for event in [progress("late"), .started(CardProgress()), .ended(.failed, text: nil)] {
            #expect(try await stage.cards.take(event, of: run) == .nobody)
        }
        #expect(try await cards(stage).count == 1)
    }

    @Test("After the end of a run that may go on, late progress starts no card, and later progress and a start do")
    func goesOn() async throws {
        let stage = try CardStage()
        try await stage.register("a", startToken: Self.one)
        let run = try stage.run(mayGoOn: true)
        let first = try await stage.cards.take(progress("Reading"), of: run).card
        try await stage.cards.take(.ended(.finished, text: nil), of: run)
        stage.clock.advance(by: .seconds(9))
        #expect(try await stage.cards.take(progress("late"), of: run) == .nobody)
        stage.clock.advance(by: .seconds(1))
        let second = try await stage.cards.take(progress("again"), of: run).card
        #expect(second != nil && second != first)
        try await stage.cards.take(.ended(.finished, text: nil), of: run)
        stage.clock.advance(by: .microseconds(1))
        let third = try await stage.cards.take(.started(CardProgress()), of: run).card
        #expect(third != nil && third != second)
    }

    @Test("A run that goes on for longer than the system shows a card gets another one")
    func outlived() async throws {
        let stage = try CardStage()
        try await stage.register("a", startToken: Self.one)
        let run = try stage.run()
        let first = try await stage.cards.take(progress("Reading"), of: run).card
        stage.clock.advance(by: .seconds(8 * 3_600))
        let second = try await stage.cards.take(progress("Reading on"), of: run).card
        #expect(first != nil && second != nil && first != second)
    }

    // MARK: Crashes and races

    @Test("The end of a card that a gateway has accepted before a crash is published by the next one")
    func crash() async throws {
        let stage = try CardStage()
        try await stage.register("a", startToken: Self.one)
        try await stage.running {
            try await stage.cards.take(progress("Reading"), of: stage.run())
            try await stage.allSettled()
        }
        // This process sends nothing any more.
        try await stage.cards.take(.ended(.finished, text: "Done"), of: stage.run())
        #expect(stage.apple.current.ends.isEmpty)
        let next = try CardStage(on: stage)
        try await next.running { try await next.allSettled() }
        #expect(stage.apple.current.ends.count == 1)
        #expect(stage.contents.compactMap(\.self).last?["text"] == "Done")
        stage.clock.advance(by: .seconds(600))
        await next.channels.sweep()
        #expect(stage.apple.current.channels.isEmpty)
    }

    @Test("Of events that come at the same time all are shown, and the end is last")
    func races() async throws {
        let stage = try CardStage()
        try await stage.register("a", startToken: Self.one)
        let run = try stage.run()
        try await stage.running {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...20 {
                    let approval = CardApproval(id: "a-\(number)", expiresAt: 2_000_000_000)
                    group.addTask { _ = try await stage.cards.take(.approvalNeeded(approval), of: run) }
                }
                try await group.waitForAll()
            }
            let card = try #require(try await cards(stage).first.flatMap { CardDocument($0) })
            #expect(card.state.approvals.count == CardState.maximumApprovals)
            try await stage.cards.take(.ended(.finished, text: nil), of: run)
            try await stage.allSettled()
        }
        #expect(stage.phones.tokens == [Self.one] && stage.apple.current.created == 1)
        #expect(stage.contents.compactMap(\.self).last?["state"] == "finished" && stage.apple.current.ends.count == 1)
    }

    // MARK: Tokens

    @Test("An update token that comes late gets the present content and what follows, once")
    func lateToken() async throws {
        let stage = try CardStage(channelLimit: 0)
        try await stage.register("a", startToken: Self.one)
        let run = try stage.run()
        let registration = CardRegistration(startToken: RegistrationToken(Self.one))
        try await stage.running {
            let card = try #require(try await stage.cards.take(progress("Reading"), of: run).card)
            try await stage.allSettled()
            let token = CardToken(card: card, token: RegistrationToken(Self.update))
            for owner in ["o2", "o1", "o1"] {
                try await stage.cards.take([token], of: CardStage.app, registration, source: "test", owner: owner)
            }
            try await stage.allSettled()
            #expect(stage.phones.tokens == [Self.one, Self.update])
            stage.clock.advance(by: .seconds(10))
            try await stage.cards.take(.ended(.finished, text: "Done"), of: run)
            try await stage.allSettled()
            #expect(stage.phones.tokens == [Self.one, Self.update, Self.update])
            #expect(stage.sentContents.compactMap(\.self).last?["text"] == "Done")
            let late = CardToken(card: card, token: RegistrationToken(Self.other))
            try await stage.cards.take([late], of: CardStage.app, registration, source: "test", owner: "o1")
            try await stage.allSettled()
            #expect(stage.phones.tokens.last == Self.other)
            #expect(stage.phones.sent.last?.message.message.apns?.payload["aps"]?["event"] == "end")
        }
    }

    @Test(
        "A token of an unknown card has no effect",
        arguments: ["", "c1", "0-0", "x-1", "0123456789abcdef0123456789abcdef-1"])
    func unknownCard(id: String) async throws {
        let stage = try CardStage()
        let token = CardToken(card: id, token: RegistrationToken(Self.update))
        let registration = CardRegistration(startToken: nil)
        try await stage.cards.take([token], of: CardStage.app, registration, source: "test")
        let messages = try await stage.store.documents.count(.collectionGroup(OutboxDocuments.messages))
        #expect(messages == 0)
    }

    // MARK: The stored form

    @Test("Cards are forgotten a day after their end, or after the system has ended them")
    func cleanUp() async throws {
        let stage = try CardStage()
        try await stage.register("a", startToken: Self.one)
        try await stage.cards.take(progress("Reading"), of: stage.run("r1"))
        try await stage.cards.take(progress("Reading"), of: stage.run("r2"))
        try await stage.cards.take(.ended(.finished, text: nil), of: stage.run("r2"))
        stage.clock.advance(by: .seconds(24 * 3_600))
        await stage.cards.cleanUp()
        #expect(try await cards(stage).count == 2)
        stage.clock.advance(by: .seconds(1))
        await stage.cards.cleanUp()
        #expect(try await cards(stage).count == 1)
        stage.clock.advance(by: .seconds(8 * 3_600))
        await stage.cards.cleanUp()
        #expect(try await cards(stage).isEmpty)
    }

    @Test("A stored card is read as it was")
    func storedForm() async throws {
        let stage = try CardStage()
        try await stage.register("a", startToken: "emulated:phone", isSlow: true)
        try await stage.register("b", startToken: Self.one)
        try await stage.register("c", startToken: nil)
        let progress = CardProgress(step: "Build", percentage: 40, text: "swift build", sequence: 7)
        try await stage.cards.take(.started(progress), of: stage.run())
        let approval = CardApproval(id: "a-1", expiresAt: 2_000_000_000, text: "Push?")
        try await stage.cards.take(.approvalNeeded(approval), of: stage.run())
        let card = try #require(try await cards(stage).first.flatMap { CardDocument($0) })
        let seconds = stage.clock.seconds
        #expect(
            card.state
                == CardState(
                    phase: .waiting, step: "Build", percentage: 40, text: "swift build", approvals: [approval],
                    sequence: 7, startedAt: seconds, updatedAt: seconds))
        #expect(card.source == "test" && card.owner == "o1" && card.title == "my-repo" && card.devices == 3)
        #expect(card.attributes == ["run_id": "r1"])
        #expect(card.phones.map(\.token.value) == ["emulated:phone"] && card.phones.first?.app.isSlow == true)
        let browser = try CardStage.devices.document("c")
        #expect(card.browsers == [browser])
    }
}
