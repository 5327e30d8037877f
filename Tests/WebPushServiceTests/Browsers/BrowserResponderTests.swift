import Testing

@testable import WebPushService

@Suite("Check-in and registration over HTTP")
struct BrowserResponderTests {
    let fixture: BrokerFixture
    let responder: BrowserResponder
    let key: String

    init() throws {
        fixture = try BrokerFixture()
        responder = BrowserResponder(broker: fixture.broker, now: { BrokerFixture.now })
        key = try SamplePush().publicKey
    }

    private func post(_ path: String, _ body: [UInt8], authorization: String? = nil) -> BrowserAnswer {
        responder.respond(
            to: BrowserRequest(method: "POST", path: path, authorization: authorization, body: body))
    }

    private func register(_ form: String, _ authorization: String = "AidLogin 12:34") -> BrowserAnswer {
        post(BrowserResponder.registrationPath, Array(form.utf8), authorization: authorization)
    }

    private func text(_ answer: BrowserAnswer) -> String { String(decoding: answer.body, as: UTF8.self) }

    @Test("A first check-in gives an id and a secret, and a later one confirms them")
    func checkIn() throws {
        let first = post(BrowserResponder.checkInPath, [])
        #expect(first.status == 200)
        let fields = try ProtobufFields(first.body)
        let id = try #require(fields.number(7))
        let secret = try #require(fields.number(8))
        #expect(id > 0 && id <= UInt64(Int64.max) && secret > 0)
        #expect(fixture.broker.browser(String(id))?.kind == .chromium(androidID: id, securityToken: secret))

        var later = ProtobufWriter()
        later.write(id, 2)
        later.write(fixed: secret, 13)
        let second = try ProtobufFields(post(BrowserResponder.checkInPath, later.bytes).body)
        #expect(second.number(7) == id)
        #expect(second.number(8) == secret)
        #expect(post(BrowserResponder.checkInPath, [0x08]).status == 400)
    }

    @Test("A registration gives a token, the same one again, and another one for another key")
    func registration() throws {
        let form = "app=org.chromium.linux&X-subtype=wp%3A1&device=12&sender=\(key)&appid=i1"
        #expect(text(register(form)) == "token=token1")
        #expect(text(register(form)) == "token=token1")
        guard case .active(let subscription) = fixture.broker.lookUp("token1") else {
            Issue.record("there is no subscription")
            return
        }
        #expect(subscription.endpoint == "https://fcm.googleapis.com/fcm/send/token1")
        #expect(subscription.applicationServerKey == key)
        let other = try SamplePush().publicKey
        #expect(text(register("app=org.chromium.linux&X-subtype=wp%3A1&sender=\(other)")) == "token=token3")
        #expect(fixture.broker.lookUp("token1") == .active(subscription))
    }

    @Test("A deletion ends the subscription of its page and key alone")
    func deletion() throws {
        for subtype in ["wp1", "wp2"] { _ = register("app=a&X-subtype=\(subtype)&sender=\(key)") }
        let deletion = "app=a&X-subtype=wp1&sender=\(key)&delete=true&appid=i1"
        #expect(text(register(deletion)) == "token=i1")
        #expect(fixture.broker.records.map(\.isEnded) == [true, false])
        #expect(text(register("app=a&X-subtype=wp2&sender=*&delete=true&appid=i2")) == "token=i2")
        #expect(fixture.broker.records.map(\.isEnded) == [true, true])
    }

    @Test("A registration with another secret than the check-in's, or without a value, is refused")
    func refused() throws {
        #expect(register("app=a&sender=\(key)").status == 200)
        #expect(register("app=a&sender=\(key)", "AidLogin 12:35").status == 401)
        #expect(register("app=a").status == 400)
        #expect(post("/elsewhere", []).status == 404)
        #expect(
            responder.respond(to: BrowserRequest(method: "GET", path: "/", authorization: nil, body: [])).status == 200)
    }

    @Test("A page with the number of a project in place of a key gets a subscription without a restriction")
    func projectNumber() throws {
        _ = register("app=a&X-subtype=wp1&sender=1234567890")
        let record = try #require(fixture.broker.records.first)
        #expect(record.applicationServerKey == nil)
        #expect(record.channel?.sender == "1234567890")
    }
}
