import JSON
import SimulatorTools
import TestDoubles
import Testing

@testable import WebPushService

@Suite("History of messages")
struct MessageHistoryTests {
    let history = MessageHistory(limits: .init(messages: 3, bodyBytes: 100))
    let notices = Tally()

    private func wait(for count: Int, _ filter: MessageFilter) -> Int? {
        history.whenReceived(count, matching: filter) { [notices] in notices.add() }
    }

    @Test("Messages are counted by status, reason and delivery, and repeated bodies as duplicates")
    func counters() {
        history.record(.sample("m1", body: [1]), authorization: "a")
        history.record(.sample("m2", body: [1]), authorization: "a")
        history.record(.sample("m3", token: "t2", body: [1]), authorization: "b")
        history.record(.sample(rejection: PushServiceProfile.apple.rejection(for: .topic)))
        history.update("m2", to: .sent)
        let counters = history.counters
        #expect(counters.requests == 4)
        #expect(counters.accepted == 3)
        #expect(counters.rejected == 1)
        #expect(counters.requestsByStatus == [201: 3, 400: 1])
        #expect(counters.requestsByReason == ["BadWebPushTopic": 1])
        #expect(counters.messagesByDelivery[.waiting] == 2)
        #expect(counters.messagesByDelivery[.sent] == 1)
        #expect(counters.duplicates == 1)
        #expect(counters.distinctTokens == 2)
        #expect(counters.distinctVAPIDTokens == 2)
        #expect(counters.forgotten == 1)
    }

    @Test("Old messages are forgotten, by their number and the size of their bodies, and no longer change")
    func limits() {
        for number in 1...4 { history.record(.sample("m\(number)")) }
        #expect(history.page(matching: .all).entries.map(\.messageID) == ["m2", "m3", "m4"])
        #expect(history.page(matching: .all).total == 4)
        history.update("m1", to: .acknowledged)
        history.update("m4", to: .acknowledged)
        #expect(history.counters.messagesByDelivery[.acknowledged] == 1)
        #expect(history.page(matching: MessageFilter(delivery: .acknowledged)).entries.map(\.number) == [4])
        #expect(history.message("m1") == nil)
        #expect(history.message("m4")?.number == 4)
        history.record(.sample("m5", body: [UInt8](repeating: 0, count: 98)))
        #expect(history.page(matching: .all).entries.map(\.messageID) == ["m5"])
    }

    @Test("A wait for a state of delivery ends when a message gets it")
    func waitForDelivery() {
        let acknowledged = MessageFilter(token: "t1", delivery: .acknowledged)
        #expect(wait(for: 2, acknowledged) != nil)
        history.record(.sample("m1"))
        history.record(.sample("m2"))
        history.update("m1", to: .sent)
        history.update("m1", to: .acknowledged)
        history.update("m1", to: .acknowledged)
        #expect(notices.count == 0)
        history.update("m2", to: .acknowledged)
        #expect(notices.count == 1)
        #expect(wait(for: 2, acknowledged) == nil)
    }

    @Test("A wait that was given up is not notified, and a reset restarts the count")
    func giveUpAndReset() throws {
        let given = try #require(wait(for: 1, .all))
        #expect(history.giveUp(given))
        #expect(wait(for: 2, .all) != nil)
        history.record(.sample("m1"))
        history.reset()
        history.record(.sample("m2"))
        #expect(notices.count == 0)
        history.record(.sample("m3"))
        #expect(notices.count == 1)
    }

    @Test(
        "A filter matches a message with every value that it has",
        arguments: [
            (MessageFilter.all, true), (MessageFilter(token: "t1", topic: "a", urgency: "high", status: 201), true),
            (MessageFilter(messageID: "m1", delivery: .waiting), true), (MessageFilter(token: "T1"), false),
            (MessageFilter(topic: "b"), false), (MessageFilter(urgency: "low"), false),
            (MessageFilter(status: 410), false), (MessageFilter(token: "t1", delivery: .sent), false),
        ])
    func filter(filter: MessageFilter, isMatch: Bool) {
        let message = ReceivedMessage.sample("m1", headers: [("topic", "a"), ("urgency", "high")])
        #expect(filter.matches(message) == isMatch)
    }

    @Test("A message's JSON has its claims, its body and its delivery, and no token of VAPID")
    func json() throws {
        history.record(.sample("m1", headers: [("ttl", "60")], body: [0xFB, 0xFF]))
        let message = try #require(history.page(matching: .all).entries.first)
        #expect(
            message.json == [
                "number": 1, "connection": 1, "received_at": 1_800_000_000_000, "service": "mozilla", "token": "t1",
                "headers": ["ttl": "60"],
                "vapid": [
                    "aud": "https://push.example.net", "exp": 1_800_003_600, "sub": "mailto:a@example.com",
                    "key": "BKey",
                ], "body": "-_8", "status": 201, "message_id": "m1", "delivery": "waiting",
            ])
    }
}
