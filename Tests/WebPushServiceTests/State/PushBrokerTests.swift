import Foundation
import Logging
import SimulatorTools
import TestDoubles
import Testing

@testable import WebPushService

@Suite("Broker of the push service")
struct PushBrokerTests {
    let history = MessageHistory(limits: .init(messages: 100, bodyBytes: 100_000))

    private func broker(in directory: SimulatorDirectory? = nil, now: Int64 = 0) throws -> PushBroker {
        try PushBroker(
            endpoints: EndpointForm(origin: "https://127.0.0.1:8030", usesServiceNames: false), history: history,
            directory: directory, now: { now }, makeToken: { UUID().uuidString }, logger: .silent)
    }

    private func delivery(_ id: String) -> MessageDelivery? {
        history.page(matching: MessageFilter(messageID: id)).entries.first?.delivery
    }

    @Test("A connected browser is woken for each message, and the history follows the message")
    func woken() throws {
        let broker = try broker()
        let calls = Tally()
        broker.add(.firefox("b1"))
        let subscription = broker.subscribe(.mozilla, browserID: "b1", channel: PageChannel(id: "c1"), key: "BKey")
        #expect(subscription.endpoint == "https://127.0.0.1:8030/wpush/v2/\(subscription.token)")
        broker.accept(.sample("m1", token: subscription.token), after: history)
        #expect(delivery("m1") == .waiting)
        #expect(calls.count == 0)

        let connection = broker.connect("b1") { calls.add() }
        #expect(history.counters.browsersConnected == 1)
        #expect(broker.take("b1", connection: connection).map(\.message.id) == ["m1"])
        #expect(delivery("m1") == .sent)
        broker.accept(.sample("m2", token: subscription.token), after: history)
        #expect(calls.count == 1)
        broker.acknowledge(["m1"], by: "b1", .failed, code: 101)
        #expect(delivery("m1") == .failed)
        #expect(history.page(matching: MessageFilter(messageID: "m1")).entries.first?.deliveryCode == 101)

        broker.disconnect("b1", connection: connection)
        #expect(history.counters.browsersConnected == 0)
        broker.accept(.sample("m3", token: subscription.token), after: history)
        #expect(calls.count == 1)
        #expect(broker.cancel("m3"))
        #expect(!broker.cancel("m3"))
        #expect(delivery("m3") == .canceled)
    }

    @Test("A browser is woken when it saves no power any more")
    func urgency() throws {
        let broker = try broker()
        let calls = Tally()
        broker.add(.firefox("b1"))
        _ = broker.connect("b1") { calls.add() }
        #expect(broker.setMinimumUrgency(.high, of: "b1"))
        #expect(!broker.setMinimumUrgency(.high, of: "b2"))
        #expect(broker.setMinimumUrgency(.low, of: nil))
        #expect(calls.count == 2)
        #expect(broker.browser("b1")?.minimumUrgency == .low)
    }

    @Test("Endpoints have the service's own origin, or the names of the services' hosts")
    func endpoints() throws {
        let broker = try broker()
        broker.setOrigin("https://[::1]:9")
        let subscription = broker.subscribe(.apple, browserID: nil, channel: nil, key: nil)
        #expect(subscription.endpoint == "https://[::1]:9/\(subscription.token)")
        #expect(subscription.origin == "https://[::1]:9")
        let google = broker.subscribe(.google, browserID: nil, channel: nil, key: "BKey")
        #expect(google.endpoint == "https://fcm.googleapis.com/fcm/send/\(google.token)")
        #expect(google.origin == "https://fcm.googleapis.com")

        let named = EndpointForm(origin: "https://127.0.0.1:8030", usesServiceNames: true)
        #expect(
            named.subscription(.sample("t1", key: nil)).endpoint
                == "https://updates.push.services.mozilla.com/wpush/v1/t1")
    }

    @Test("A broker with a directory goes on where the former one ended, and one without does not")
    func journal() async throws {
        try await withTemporaryDirectory { path in
            let directory = try SimulatorDirectory(path, name: "test")
            let first = try broker(in: directory)
            first.add(.firefox("b1"))
            let subscription = first.subscribe(.mozilla, browserID: "b1", channel: PageChannel(id: "c1"), key: "BKey")
            let other = first.subscribe(.mozilla, browserID: "b1", channel: PageChannel(id: "c2"), key: nil)
            first.end(other.token)
            first.accept(.sample("m1", token: subscription.token), after: history)
            first.accept(.sample("m2", token: subscription.token), after: history)
            #expect(first.cancel("m1"))

            for _ in 0..<2 {
                let second = try broker(in: directory)
                #expect(second.lookUp(subscription.token) == .active(subscription))
                #expect(second.lookUp(other.token) == .ended(other))
                let connection = second.connect("b1") {}
                #expect(
                    second.take("b1", connection: connection).map(\.message) == [
                        .sample("m2", token: subscription.token)
                    ])
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: path)
            #expect(names == ["service.jsonl"])
        }
        #expect(try broker().browsers.isEmpty)
    }

    @Test("A journal whose last line is incomplete is read up to it")
    func tornJournal() async throws {
        try await withTemporaryDirectory { path in
            let directory = try SimulatorDirectory(path, name: "test")
            try broker(in: directory).add(.firefox("b1"))
            let file = directory.path(of: "service.jsonl")
            let text = try String(contentsOfFile: file, encoding: .utf8)
            try (text + #"{"subscription":{"tok"#).write(toFile: file, atomically: true, encoding: .utf8)
            let browsers = try broker(in: directory).browsers
            #expect(browsers.map(\.browser.id) == ["b1"])
            #expect(browsers.map(\.isConnected) == [false])
        }
    }
}
