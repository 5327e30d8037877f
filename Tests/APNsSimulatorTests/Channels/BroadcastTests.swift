import JSON
import NIOHPACK
import SimulatorTools
import Testing

@testable import APNsSimulator

@Suite("The simulator's broadcasts")
struct BroadcastTests {
    private let stage: ChannelStage

    init() throws { stage = try ChannelStage() }

    private func phone(_ token: String = "ab") -> SimulatedPhone {
        let phone = SimulatedPhone(bundleID: "com.example.app", pushToStartToken: token)
        stage.table.connect(phone)
        return phone
    }

    private func update(_ step: Int64, at timestamp: Int64? = nil) -> JSONValue {
        ["event": "update", "timestamp": .integer(timestamp ?? step), "content-state": ["step": .integer(step)]]
    }

    @Test("A broadcast is answered with its request id, and is in the history with its channel")
    func accepted() throws {
        let channel = try stage.create()
        let response = try stage.publish(to: channel, ["apns-request-id": SampleRequest.id])
        #expect(response.summary == "200" && response.body.isEmpty && response.uniqueID != nil)
        #expect(response.headers["apns-request-id"] == [SampleRequest.id])
        let received = try #require(stage.history.page(matching: .all).entries.first)
        #expect(received.channel == channel && received.token == nil && received.isAccepted)
        #expect(received.payload?["aps"]?["event"] == "update")
    }

    @Test(
        "A broadcast with another header field than Apple requires is refused",
        arguments: [
            (["apns-channel-id": nil], "400 MissingChannelId"), (["apns-channel-id": "dGVzdA=="], "400 BadChannelId"),
            (["apns-push-type": nil], "400 MissingPushType"), (["apns-push-type": "alert"], "400 InvalidPushType"),
            (["apns-expiration": nil], "400 BadExpirationDate"), (["apns-expiration": "x"], "400 BadExpirationDate"),
            (["apns-expiration": "1800000100"], "400 BadExpirationDate"),
            (["apns-priority": nil], "400 BadPriority"), (["apns-priority": "1"], "400 BadPriority"),
            (["apns-topic": "com.example.app"], "400 BadTopic"), (["authorization": nil], "403 MissingProviderToken"),
        ] as [([String: String?], String)])
    func headers(changes: [String: String?], answer: String) throws {
        let channel = try stage.create()
        #expect(try stage.publish(to: channel, changes).summary == answer)
        #expect(stage.table.channels().first?.broadcasts == 0)
    }

    @Test("A broadcast without content, with another event, or of more than 5,120 bytes is refused")
    func payload() throws {
        let channel = try stage.create()
        #expect(try stage.publish(to: channel, body: []).summary == "400 PayloadEmpty")
        #expect(try stage.publish(to: channel, body: Array("[]".utf8)).summary == "400 PayloadEmpty")
        #expect(try stage.publish(["event": "start"], to: channel).summary == "400 PayloadEmpty")
        #expect(try stage.publish([:], to: channel).summary == "400 PayloadEmpty")
        func body(_ count: Int) -> [UInt8] {
            let (head, tail) = (#"{"aps":{"event":"end"},"t":""#, #""}"#)
            let filler = String(repeating: "x", count: count - head.utf8.count - tail.utf8.count)
            return Array((head + filler + tail).utf8)
        }
        #expect(try stage.publish(to: channel, body: body(5_120)).summary == "200")
        #expect(try stage.publish(to: channel, body: body(5_121)).summary == "413 PayloadTooLarge")
    }

    @Test("A broadcast to a deleted channel, or to one of another app, is refused")
    func gone() throws {
        let (mine, foreign) = (try stage.create(), try stage.create(for: "com.example.other"))
        _ = try stage.manage("DELETE", channel: mine)
        #expect(try stage.publish(to: mine).summary == "410 ChannelNotRegistered")
        #expect(try stage.publish(to: foreign).summary == "400 TopicMismatch")
    }

    @Test("The host for notifications refuses the paths of the management")
    func wrongHost() throws {
        #expect(try stage.publish(to: "x", path: "/1/apps/com.example.app/channels").summary == "404 BadPath")
        #expect(try stage.publish(to: "x", path: "/4/broadcasts/apps/a/b").summary == "404 BadPath")
    }

    // MARK: Phones

    @Test("A card that follows a channel shows its updates and its end, and older content changes nothing")
    func follows() throws {
        let (phone, other) = (phone("ab"), phone("cd"))
        let channel = try stage.create()
        try stage.start(on: phone, channel: channel)
        try stage.start(on: other, channel: nil)
        #expect(phone.cards.map(\.contentState) == [["step": 0]])
        _ = try stage.publish(update(2), to: channel)
        _ = try stage.publish(update(1), to: channel)
        #expect(phone.cards.first?.contentState == ["step": 2] && phone.cards.first?.updates == 1)
        _ = try stage.publish(
            [
                "event": "end", "timestamp": 3, "dismissal-date": 100, "content-state": ["step": 9],
                "alert": ["title": "Run", "body": "Ended"],
            ], to: channel)
        _ = try stage.publish(update(4), to: channel)
        let card = try #require(phone.cards.first)
        #expect(card.isEnded && card.contentState == ["step": 9] && card.alerts == 2)
        #expect(card.isVisible(at: 99) && !card.isVisible(at: 100))
        #expect(other.cards.map(\.contentState) == [["step": 0]])
    }

    @Test("A card that asked for an update token is updated by it, and a dead token is answered 200 without an effect")
    func updateToken() throws {
        let phone = phone()
        for _ in 0..<2 { try stage.start(on: phone, channel: nil) }
        let (first, second) = (try #require(phone.cards[0].updateToken), try #require(phone.cards[1].updateToken))
        #expect(first != second && phone.cards.map(\.channel) == [nil, nil])
        func content(_ step: Int64, _ event: String = "update") -> JSONObject {
            ["event": .string(event), "timestamp": .integer(step), "content-state": ["step": .integer(step)]]
        }
        #expect(try stage.update(first, content(1)).status == 200)
        #expect(phone.cards.map(\.contentState) == [["step": 1], ["step": 0]])
        phone.goOffline()
        for step in [2, 3] as [Int64] { _ = try stage.update(second, content(step)) }
        #expect(phone.cards[1].updates == 0)
        stage.table.reconnect(phone, at: stage.now)
        #expect(phone.cards[1].contentState == ["step": 3] && phone.cards[1].updates == 1)
        _ = try stage.update(first, content(4, "end"))
        #expect(phone.cards.map(\.isEnded) == [true, false])
        #expect(try stage.update(first, content(5)).status == 200)
        #expect(try stage.update("abcdef", content(5)).status == 200)
        #expect(phone.cards.map(\.contentState) == [["step": 4], ["step": 3]])
        try stage.start(on: phone, channel: try stage.create())
        #expect(phone.cards.last?.updateToken == nil)
    }

    @Test("A phone that was off gets the newest broadcast that its channel keeps, until it expires")
    func stored() throws {
        let phone = phone()
        let (keeping, forgetting) = (try stage.create(storing: 1), try stage.create())
        for channel in [keeping, forgetting] { try stage.start(on: phone, channel: channel) }
        phone.goOffline()
        let expiration: [String: String?] = ["apns-expiration": String(stage.now + 60)]
        _ = try stage.publish(update(1), to: keeping, expiration)
        _ = try stage.publish(update(2), to: keeping, expiration)
        _ = try stage.publish(update(2), to: forgetting)
        stage.table.reconnect(phone, at: stage.now + 59)
        #expect(phone.cards.map(\.contentState) == [["step": 2], ["step": 0]])
        phone.goOffline()
        _ = try stage.publish(update(3), to: keeping, expiration)
        stage.table.reconnect(phone, at: stage.now + 60)
        #expect(phone.cards.map(\.contentState) == [["step": 2], ["step": 0]])
    }

    @Test("A channel keeps a broadcast for eight hours at most, and one with expiration 0 replaces it by nothing")
    func longestStorage() throws {
        let channel = try stage.create(storing: 1)
        _ = try stage.publish(update(1), to: channel, ["apns-expiration": String(stage.now + 86_400)])
        #expect(stage.table.channels().first?.stored?.expiration == stage.now + 8 * 3_600)
        _ = try stage.publish(update(2), to: channel)
        #expect(stage.table.channels().first?.stored == nil)
    }

    @Test("A card that starts on a channel that was used before shows what is kept there")
    func reused() throws {
        let channel = try stage.create(storing: 1)
        _ = try stage.publish(update(7), to: channel, ["apns-expiration": String(stage.now + 60)])
        let stranger = phone()
        try stage.start(on: stranger, channel: channel)
        #expect(stranger.cards.first?.contentState == ["step": 7])
    }

    @Test("A start without a member that iOS needs shows nothing, and a phone that was off gets the newest start")
    func starts() throws {
        let phone = phone()
        var request = try stage.sample.request(body: Array(#"{"aps":{"event":"start","timestamp":1}}"#.utf8))
        request.path = "/3/device/ab"
        #expect(stage.respond(to: request, at: .notifications).status == 200)
        #expect(phone.cards.isEmpty)
        let (first, second) = (try stage.create(), try stage.create())
        phone.goOffline()
        for channel in [first, second] { try stage.start(on: phone, channel: channel) }
        #expect(phone.cards.isEmpty)
        stage.table.reconnect(phone, at: stage.now)
        #expect(phone.cards.map(\.channel) == [second])
    }
}
