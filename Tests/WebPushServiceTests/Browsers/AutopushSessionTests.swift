import JSON
import SimulatorTools
import Testing

@testable import WebPushService

@Suite("Conversation with Firefox")
struct AutopushSessionTests {
    let fixture: BrokerFixture
    let key: String

    init() throws {
        fixture = try BrokerFixture()
        key = try SamplePush().publicKey
    }

    private func greeted(_ session: inout AutopushSession, _ hello: String = #"{"messageType":"hello"}"#) -> String {
        guard case .greet(let id) = session.receive(hello) else { return "" }
        return id
    }

    private func answer(_ text: String, _ session: inout AutopushSession) throws -> JSONValue {
        guard case .answer(let answer) = session.receive(text) else { return .null }
        return try JSONValue(parsing: answer)
    }

    @Test("A browser gets an id of 32 digits, which is confirmed later, and an unknown one is replaced")
    func hello() throws {
        var first = AutopushSession(broker: fixture.broker)
        let id = greeted(&first)
        #expect(id.count == 32)
        #expect(first.userAgentID == id)
        #expect(fixture.broker.browser(id)?.kind == .firefox)
        var second = AutopushSession(broker: fixture.broker)
        #expect(greeted(&second, #"{"messageType":"hello","uaid":"\#(id)"}"#) == id)
        var third = AutopushSession(broker: fixture.broker)
        let other = greeted(&third, #"{"messageType":"hello","uaid":"ffff"}"#)
        #expect(other != "ffff" && other != id && other.count == 32)
        #expect(third.receive(#"{"messageType":"hello"}"#) == .close)
    }

    @Test("A registration gives an endpoint, and its end ends the subscription")
    func register() throws {
        var session = AutopushSession(broker: fixture.broker)
        _ = greeted(&session)
        let answer = try answer(#"{"messageType":"register","channelID":"c1","key":"\#(key)="}"#, &session)
        #expect(answer["pushEndpoint"] == "https://127.0.0.1:8030/wpush/v2/token1")
        guard case .active(let subscription) = fixture.broker.lookUp("token1") else {
            Issue.record("there is no subscription")
            return
        }
        #expect(subscription.applicationServerKey == key)
        #expect(subscription.service == .mozilla)
        #expect(
            try self.answer(#"{"messageType":"unregister","channelID":"c1"}"#, &session)["status"] == 200)
        #expect(fixture.broker.lookUp("token1") == .ended(subscription))
    }

    @Test("A registration with a key that is not on the curve is refused with 400")
    func badKey() throws {
        var session = AutopushSession(broker: fixture.broker)
        _ = greeted(&session)
        let answer = try answer(#"{"messageType":"register","channelID":"c1","key":"BAAA"}"#, &session)
        #expect(answer["status"] == 400)
        #expect(answer["pushEndpoint"] == nil)
        #expect(fixture.broker.records.isEmpty)
    }

    @Test(
        "An acknowledgment settles a message with its code",
        arguments: [
            (#"{"messageType":"ack","updates":[{"version":"m1","code":100}]}"#, MessageDelivery.acknowledged),
            (#"{"messageType":"ack","updates":[{"version":"m1","code":101}]}"#, .failed),
            (#"{"messageType":"nack","version":"m1","code":301}"#, .failed),
        ])
    func acknowledgments(text: String, delivery: MessageDelivery) throws {
        var session = AutopushSession(broker: fixture.broker)
        let id = greeted(&session)
        let subscription = fixture.broker.subscribe(
            .mozilla, browserID: id, channel: PageChannel(id: "c1"), key: nil)
        fixture.accept(.sample("m1", token: subscription.token))
        #expect(fixture.delivery == .waiting)
        #expect(session.receive(text) == .ignore)
        #expect(fixture.delivery == delivery)
    }

    @Test("The failure of a service worker comes after the acknowledgment, and no other browser can report it")
    func workerFailure() throws {
        var session = AutopushSession(broker: fixture.broker)
        let id = greeted(&session)
        var other = AutopushSession(broker: fixture.broker)
        _ = greeted(&other)
        let subscription = fixture.broker.subscribe(
            .mozilla, browserID: id, channel: PageChannel(id: "c1"), key: nil)
        fixture.accept(.sample("m1", token: subscription.token))
        let failure = #"{"messageType":"nack","version":"m1","code":302}"#
        _ = session.receive(#"{"messageType":"ack","updates":[{"version":"m1","code":100}]}"#)
        #expect(other.receive(failure) == .ignore)
        #expect(fixture.delivery == .acknowledged)
        #expect(session.receive(failure) == .ignore)
        #expect(fixture.delivery == .failed)
        #expect(fixture.history.page(matching: .all).entries.first?.deliveryCode == 302)
        #expect(fixture.history.counters.messagesByDelivery[.acknowledged] == 0)
    }

    @Test("A ping is answered, other messages are ignored, and what comes before hello or is malformed closes")
    func others() {
        var session = AutopushSession(broker: fixture.broker)
        #expect(session.receive("{}") == .close)
        _ = greeted(&session)
        #expect(session.receive("{}") == .answer("{}"))
        #expect(session.receive(#"{"messageType":"broadcast_subscribe","broadcasts":{}}"#) == .ignore)
        #expect(session.receive("hello") == .close)
    }

    @Test("A notification has the browser's channel and the encrypted body")
    func notification() {
        let delivery = ServiceState.Delivery(message: .sample("m1"), record: .sample())
        #expect(
            AutopushNotification(delivery)
                == AutopushNotification(channel: "c1", version: "m1", encoding: "aes128gcm", body: [1, 2, 3]))
    }
}
