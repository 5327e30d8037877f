import JSON
import SimulatorTools
import TestDoubles
import Testing

@testable import WebPushService

@Suite("Answers to application servers")
struct PushResponderTests {
    let fixture: BrokerFixture
    let sample: SamplePush
    let responder: PushResponder

    init() throws {
        fixture = try BrokerFixture()
        sample = try SamplePush()
        responder = PushResponder(
            broker: fixture.broker, history: fixture.history, scripts: fixture.scripts, latency: .milliseconds(5),
            now: { BrokerFixture.now }, makeToken: BrokerFixture.tokens(), logger: .silent)
    }

    private func subscribe(_ service: PushServiceProfile) throws -> Subscription {
        fixture.broker.subscribe(service, browserID: nil, channel: nil, key: try sample.publicKey)
    }

    private func answer(_ request: PushRequest) -> PushAnswer {
        var validator = PushRequestValidator(rules: PushRules())
        return responder.respond(to: request, connection: 7, validator: &validator)
    }

    private func push(to subscription: Subscription, _ changes: [String: String?] = [:]) throws -> PushAnswer {
        answer(try sample.request(to: subscription, changes))
    }

    private func header(_ name: String, _ answer: PushAnswer) -> String? {
        answer.headers.first { $0.name == name }?.value
    }

    @Test("An accepted message is answered 201 with its URL, and recorded", arguments: PushServiceProfile.allCases)
    func accepted(service: PushServiceProfile) throws {
        let subscription = try subscribe(service)
        let answer = try push(to: subscription)
        #expect(answer.status == 201)
        #expect(answer.body.isEmpty)
        #expect(answer.delay == .milliseconds(5))
        #expect(header("date", answer) == "Fri, 15 Jan 2027 08:00:00 GMT")
        let message = try #require(fixture.history.page(matching: .all).entries.first)
        let id = try #require(message.messageID)
        if service == .apple {
            #expect(header("apns-id", answer) == id)
            #expect(header("location", answer) == nil)
        } else {
            #expect(header("location", answer) == subscription.origin + "/m/" + id)
            #expect(header("ttl", answer) == "60")
        }
        #expect(message.connection == 7)
        #expect(message.service == service)
        #expect(message.token == subscription.token)
        #expect(message.status == 201)
        #expect(message.delivery == .acknowledged)
        #expect(message.cause == nil)
    }

    @Test("A refused request is answered in the service's form, recorded with its cause, and not delivered")
    func refused() throws {
        let bodies: [PushServiceProfile: JSONValue] = [
            .apple: ["reason": "BadTtl"],
            .mozilla: ["code": 400, "errno": 111, "error": "Bad Request", "message": "TTL is missing"],
        ]
        for service in PushServiceProfile.allCases {
            fixture.history.reset()
            let answer = try push(to: subscribe(service), ["ttl": nil])
            #expect(answer.status == 400)
            if let body = bodies[service] {
                #expect(try JSONValue(parsing: answer.body) == body)
                #expect(header("content-type", answer) == "application/json")
            }
            let message = try #require(fixture.history.page(matching: .all).entries.first)
            #expect(message.cause == "TTL is missing")
            #expect(message.status == 400)
            #expect(message.messageID == nil)
            #expect(message.delivery == nil)
        }
        let microsoft = try push(to: subscribe(.microsoft), ["ttl": nil])
        #expect(header("x-wns-error-description", microsoft) == "TTL is missing")
        let google = try push(to: subscribe(.google), ["authorization": nil])
        #expect(String(decoding: google.body, as: UTF8.self) == "the VAPID credentials are missing\n")
        #expect(header("www-authenticate", google) == "vapid")
    }

    @Test("A body of Mozilla's has a number for each status, 999 for one without a number of its own")
    func mozillaNumbers() throws {
        let subscription = try subscribe(.mozilla)
        fixture.scripts.append([ScriptedPushAnswer(status: 500)], for: subscription.token)
        let answer = try push(to: subscription)
        #expect(answer.status == 500)
        #expect(try JSONValue(parsing: answer.body)["errno"] == 999)
    }

    @Test("A scripted answer has the service's reason for its status, and is not delivered")
    func scripted() throws {
        let subscription = try subscribe(.mozilla)
        fixture.scripts.append(
            [
                ScriptedPushAnswer(status: 410), ScriptedPushAnswer(status: 429, retryAfter: .seconds(30)),
                ScriptedPushAnswer(status: 503, delay: .seconds(1), retryAfter: .date(after: 60)),
            ], for: subscription.token)
        let gone = try push(to: subscription)
        #expect(gone.status == 410)
        #expect(try JSONValue(parsing: gone.body)["errno"] == 103)
        let limited = try push(to: subscription)
        #expect(header("retry-after", limited) == "30")
        let unavailable = try push(to: subscription)
        #expect(header("retry-after", unavailable) == "Fri, 15 Jan 2027 08:01:00 GMT")
        #expect(unavailable.delay == .milliseconds(1_005))
        #expect(fixture.history.counters.accepted == 0)
        #expect(
            fixture.history.page(matching: .all).entries.map(\.cause)
                == [String?](repeating: "a script for answers requires it", count: 3))
        #expect(try push(to: subscription).status == 201)
    }

    @Test("A request without an answer has no status, and its message is delivered if the script says so")
    func unanswered() throws {
        let subscription = try subscribe(.standard)
        fixture.scripts.append([.hanging(), .closing(isAccepted: true)], for: nil)
        #expect(try push(to: subscription).ending == .hang)
        #expect(try push(to: subscription).ending == .close)
        let messages = fixture.history.page(matching: .all).entries
        #expect(messages.map(\.status) == [nil, nil])
        #expect(messages.map(\.isAccepted) == [false, true])
        #expect(fixture.history.counters.requestsUnanswered == 2)
        #expect(fixture.history.counters.accepted == 1)
    }

    @Test("An invalid request does not use up a scripted answer")
    func invalidBeforeScript() throws {
        let subscription = try subscribe(.standard)
        fixture.scripts.append([ScriptedPushAnswer(status: 503)], for: nil)
        #expect(try push(to: subscription, ["ttl": nil]).status == 400)
        #expect(try push(to: subscription).status == 503)
    }

    @Test("A message that its sender deletes is not delivered")
    func deletion() throws {
        fixture.broker.add(.firefox("b1"))
        let subscription = fixture.broker.subscribe(
            .mozilla, browserID: "b1", channel: PageChannel(id: "c1"), key: try sample.publicKey)
        let accepted = try push(to: subscription)
        let location = try #require(header("location", accepted))
        let path = String(location.dropFirst(subscription.origin.count))
        let deletion = PushRequest(method: "DELETE", authority: "127.0.0.1:8030", path: path)
        #expect(answer(deletion).status == 204)
        #expect(answer(deletion).status == 404)
        #expect(fixture.delivery == .canceled)
        #expect(fixture.history.counters.requests == 1)
    }

    @Test("A client of UnifiedPush finds out that the server takes its messages")
    func discovery() throws {
        let discovery = answer(PushRequest(method: "GET", authority: "127.0.0.1:8030", path: "/push/abc"))
        #expect(discovery.status == 200)
        #expect(try JSONValue(parsing: discovery.body) == ["unifiedpush": ["version": 1]])
        #expect(answer(PushRequest(method: "GET", authority: "127.0.0.1:8030", path: "/fcm/send/abc")).status == 405)
    }
}
