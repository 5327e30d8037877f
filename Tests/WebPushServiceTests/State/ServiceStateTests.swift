import JSON
import Testing

@testable import WebPushService

@Suite("State of the push service")
struct ServiceStateTests {
    typealias Outcome = ServiceState.Outcome

    /// Returns a state with the browser `b1` and its subscription `t1`.
    private func state(isConnected: Bool = true) -> ServiceState {
        var state = ServiceState()
        state.add(.firefox("b1"))
        _ = state.subscribe(.sample())
        if isConnected { _ = state.connect("b1", connection: 1) }
        _ = state.takeChanges()
        return state
    }

    private func ids(_ state: inout ServiceState, connection: Int = 1, now: Int64 = 0) -> [String] {
        state.take("b1", connection: connection, now: now).deliveries.map(\.message.id)
    }

    @Test("A message for a connected browser wakes it, is sent once, and is forgotten when acknowledged")
    func connected() {
        var state = state()
        let acceptance = state.accept(.sample("m1"))
        #expect(acceptance.outcomes == [])
        #expect(acceptance.browserID == "b1")
        let taken = state.take("b1", connection: 1, now: 0)
        #expect(taken.deliveries == [ServiceState.Delivery(message: .sample("m1"), record: .sample())])
        #expect(taken.outcomes == [Outcome(messageID: "m1", delivery: .sent)])
        #expect(ids(&state) == [])
        #expect(
            state.acknowledge(["m1", "unknown"], by: "b1", code: 100)
                == [Outcome(messageID: "m1", delivery: .acknowledged, code: 100)])
        #expect(state.acknowledge(["m1"], by: "b1") == [])
        #expect(state.snapshot.count == 2, "the browser and the subscription alone are left")
    }

    @Test("A message for a browser that is not connected waits, and is sent in order after it connects")
    func waiting() {
        var state = state(isConnected: false)
        for id in ["m1", "m2", "m3"] { #expect(state.accept(.sample(id)).browserID == nil) }
        #expect(ids(&state) == [], "there is no such connection")
        _ = state.connect("b1", connection: 1)
        #expect(ids(&state) == ["m1", "m2", "m3"])
    }

    @Test("A message that was sent and not acknowledged is sent again over the next connection")
    func reconnected() {
        var state = state()
        _ = state.accept(.sample("m1"))
        _ = state.accept(.sample("m2"))
        #expect(ids(&state) == ["m1", "m2"])
        _ = state.acknowledge(["m1"], by: "b1")
        #expect(state.disconnect("b1", connection: 1) == [Outcome(messageID: "m2", delivery: .waiting)])
        #expect(ids(&state) == [])
        _ = state.connect("b1", connection: 2)
        #expect(ids(&state, connection: 1) == [], "the former connection gets nothing")
        #expect(ids(&state, connection: 2) == ["m2"])
    }

    @Test("A browser that connects again before its former connection ends gets its messages over the new one")
    func overtaken() {
        var state = state()
        _ = state.accept(.sample("m1"))
        #expect(ids(&state) == ["m1"])
        #expect(state.connect("b1", connection: 2) == [Outcome(messageID: "m1", delivery: .waiting)])
        #expect(state.disconnect("b1", connection: 1) == [])
        #expect(state.isConnected("b1"))
        #expect(ids(&state, connection: 2) == ["m1"])
    }

    @Test("A message expires at the end of its lifetime, and not before")
    func expiry() {
        var state = state(isConnected: false)
        _ = state.accept(.sample("m1", timeToLive: 60, acceptedAt: 1_000))
        _ = state.accept(.sample("m2", timeToLive: 61, acceptedAt: 1_000))
        #expect(state.expire(now: 60_999) == [])
        #expect(state.expire(now: 61_000) == [Outcome(messageID: "m1", delivery: .expired)])
        _ = state.connect("b1", connection: 1)
        let taken = state.take("b1", connection: 1, now: 62_000)
        #expect(taken.deliveries.isEmpty)
        #expect(taken.outcomes == [Outcome(messageID: "m2", delivery: .expired)])
    }

    @Test("A message without a lifetime reaches a connected browser alone, and does not survive its connection")
    func noLifetime() {
        var state = state(isConnected: false)
        #expect(
            state.accept(.sample("m1", timeToLive: 0)).outcomes == [Outcome(messageID: "m1", delivery: .dropped)])
        _ = state.connect("b1", connection: 1)
        #expect(state.accept(.sample("m2", timeToLive: 0)).browserID == "b1")
        #expect(ids(&state, now: 5) == ["m2"])
        #expect(state.disconnect("b1", connection: 1) == [Outcome(messageID: "m2", delivery: .dropped)])
    }

    @Test("A later message with the topic replaces an earlier one of its subscription that waits")
    func topics() {
        var state = state(isConnected: false)
        _ = state.subscribe(.sample("t2", channel: "c2"))
        _ = state.accept(.sample("m1", topic: "a"))
        _ = state.accept(.sample("m2", topic: "b"))
        _ = state.accept(.sample("m3", token: "t2", topic: "a"))
        _ = state.accept(.sample("m4"))
        #expect(
            state.accept(.sample("m5", topic: "a")).outcomes == [Outcome(messageID: "m1", delivery: .replaced)])
        _ = state.connect("b1", connection: 1)
        #expect(ids(&state) == ["m2", "m3", "m4", "m5"])
        #expect(state.accept(.sample("m6", topic: "a")).outcomes == [], "what was sent cannot be replaced")
    }

    @Test("A browser that saves power gets urgent messages only, until it saves no more")
    func urgency() {
        var state = state()
        #expect(state.setMinimumUrgency(.high, of: "b2") == [])
        #expect(state.setMinimumUrgency(.high, of: "b1") == ["b1"])
        #expect(state.accept(.sample("m1", urgency: .normal)).browserID == nil)
        #expect(state.accept(.sample("m2", urgency: .high)).browserID == "b1")
        #expect(
            state.accept(.sample("m3", urgency: .low, timeToLive: 0)).outcomes
                == [Outcome(messageID: "m3", delivery: .dropped)])
        #expect(ids(&state) == ["m2"])
        #expect(state.setMinimumUrgency(.normal, of: nil) == ["b1"])
        #expect(ids(&state) == ["m1"])
    }

    @Test("A subscription that has ended takes no message, and those that waited are dropped")
    func ended() {
        var state = state(isConnected: false)
        _ = state.accept(.sample("m1"))
        #expect(state.end("t1") == [Outcome(messageID: "m1", delivery: .dropped)])
        #expect(state.end("t1") == [])
        #expect(state.record("t1")?.isEnded == true)
        #expect(state.accept(.sample("m2")).outcomes == [Outcome(messageID: "m2", delivery: .dropped)])
        let others = state.end(of: "b1") { _ in true }
        #expect(others.isEmpty)
    }

    @Test("A channel that subscribes again keeps its endpoint, and gets a new one with another key")
    func subscribedAgain() {
        var state = state(isConnected: false)
        _ = state.accept(.sample("m1"))
        #expect(state.subscribe(.sample("t2")).record.token == "t1")
        let changed = state.subscribe(.sample("t3", key: "BOther"))
        #expect(changed.record.token == "t3")
        #expect(changed.outcomes == [Outcome(messageID: "m1", delivery: .dropped)])
        #expect(state.record("t1")?.isEnded == true)
        #expect(state.record("t2") == nil)
    }

    @Test("A subscription without a browser acknowledges each message at once")
    func withoutBrowser() {
        var state = ServiceState()
        _ = state.subscribe(.sample(browserID: nil))
        let acceptance = state.accept(.sample("m1", timeToLive: 0))
        #expect(acceptance.outcomes == [Outcome(messageID: "m1", delivery: .acknowledged)])
        #expect(acceptance.browserID == nil)
    }

    @Test("A message that its sender deletes is not sent")
    func canceled() {
        var state = state(isConnected: false)
        _ = state.accept(.sample("m1"))
        #expect(state.cancel("m1") == Outcome(messageID: "m1", delivery: .canceled))
        #expect(state.cancel("m1") == nil)
        _ = state.connect("b1", connection: 1)
        #expect(ids(&state) == [])
    }

    @Test("A full queue drops its oldest message")
    func full() {
        var state = state(isConnected: false)
        for number in 1...MessageQueue.limit {
            #expect(state.accept(.sample("m\(number)")).outcomes == [])
        }
        #expect(state.accept(.sample("new")).outcomes == [Outcome(messageID: "m1", delivery: .dropped)])
    }

    @Test("The changes of a state make the same state of an empty one, and so does its snapshot")
    func journal() throws {
        var state = ServiceState()
        state.add(.firefox("b1"))
        state.add(.chromium(.max, securityToken: 7))
        _ = state.setMinimumUrgency(.low, of: "b1")
        _ = state.subscribe(.sample())
        _ = state.subscribe(.sample("t2", channel: "c2", key: nil))
        _ = state.subscribe(.sample("t3", browserID: nil))
        for id in ["m1", "m2", "m3", "m4"] { _ = state.accept(.sample(id)) }
        _ = state.accept(.sample("m5", token: "t2", topic: "a", urgency: .high))
        _ = state.acknowledge(["m1"], by: "b1")
        _ = state.cancel("m2")
        _ = state.end("t2")
        let snapshot = state.snapshot
        #expect(snapshot.count == 7, "two browsers, three subscriptions, two messages")
        for changes in [state.takeChanges(), snapshot] {
            var other = ServiceState()
            for change in changes { other.apply(try #require(StateChange(change.json))) }
            #expect(other.snapshot == snapshot)
            #expect(other.takeChanges() == [])
        }
    }

    @Test("A line that is no change is ignored", arguments: ["{}", "[]", #"{"message":{"id":"m1"}}"#, #"{"x":"y"}"#])
    func noChange(line: String) throws {
        let json = try JSONValue(parsing: line)
        #expect(StateChange(json) == nil)
    }
}
