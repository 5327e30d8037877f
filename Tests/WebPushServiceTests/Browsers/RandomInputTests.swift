import JSON
import NIOCore
import TestBasics
import Testing

@testable import Fuzzing
@testable import WebPushService

/// Input that is valid but for random changes. None of it stops the service.
@Suite("Random input of browsers and senders")
struct RandomInputTests {
    private static let count = 500
    let fixture: BrokerFixture
    let sample: SamplePush

    init() throws {
        fixture = try BrokerFixture()
        sample = try SamplePush()
    }

    // MARK: Chromium

    @Test("Chromium's bytes, changed at random, mean the same in pieces of any size", arguments: [1, 2, 3] as [UInt64])
    func mcs(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var closed = 0
        for _ in 0..<Self.count {
            let bytes = conversation(&generator)
            let size = generator.number(1...7)
            let pieces = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
            let whole = actions(on: [bytes[...]])
            #expect(actions(on: pieces) == whole)
            #expect(whole.count(where: isGreeting) <= 1)
            if whole.last == .close { closed += 1 }
        }
        #expect(closed > 0 && closed < Self.count)
    }

    /// Returns a login and other frames, with changed bytes in most cases.
    private func conversation(_ generator: inout SeededGenerator) -> [UInt8] {
        var login = ProtobufWriter()
        login.write("12", 3)
        login.write("34", 5)
        login.write("m0", 10)
        var bytes = [MCSFrame.version] + MCSFrame(tag: MCSTag.loginRequest, content: login.bytes).bytes
        for _ in 0..<generator.number(0...6) { bytes += frame(&generator).bytes }
        ByteMutation.apply(generator.pick([0, 1, 1, 2, 4]), to: &bytes, &generator)
        return bytes
    }

    private func frame(_ generator: inout SeededGenerator) -> MCSFrame {
        let number = generator.pick([0, 1, 2, UInt64(Int64.max), .max])
        var message = ProtobufWriter()
        switch generator.number(0...5) {
        case 0:
            message.write(number, 2)
            return MCSFrame(tag: MCSTag.heartbeatPing, content: message.bytes)
        case 1:
            message.write(number, 2)
            return MCSFrame(tag: MCSTag.heartbeatAck, content: message.bytes)
        case 2:
            message.write(7) { ext in
                ext.write(12, 1)
                ext.write(2) { ack in
                    for id in ["m1", "m2", "", "other"] { ack.write(id, 1) }
                }
            }
            message.write(number, 10)
            return MCSFrame(tag: MCSTag.iqStanza, content: message.bytes)
        case 3:
            message.write(number, 11)
            return MCSFrame(tag: MCSTag.dataMessageStanza, content: message.bytes)
        case 4: return MCSFrame(tag: MCSTag.close, content: [])
        default: return MCSFrame(tag: generator.pick([3, 9, 255]), content: generator.bytes(generator.number(0...300)))
        }
    }

    /// Returns the actions of a session that receives bytes, up to the close of its connection.
    private func actions(on pieces: [ArraySlice<UInt8>]) -> [MCSSession.Action] {
        var session = MCSSession()
        for id in ["m1", "m2", "m3"] {
            _ = session.bytes(
                of: .data(
                    MCSData(
                        persistentID: id, category: "app", subtype: nil, sender: "BKey", encoding: nil, body: [],
                        timeToLive: 60, sentAt: 1)))
        }
        var actions: [MCSSession.Action] = []
        for piece in pieces {
            for action in session.receive(ByteBuffer(bytes: piece)) {
                actions.append(action)
                if action == .close { return actions }
            }
        }
        return actions
    }

    private func isGreeting(_ action: MCSSession.Action) -> Bool {
        if case .greet = action { true } else { false }
    }

    @Test("Check-ins and registrations of Chromium, changed at random, are answered")
    func registrations() throws {
        var generator = SeededGenerator(seed: 4)
        let responder = BrowserResponder(broker: fixture.broker, now: { BrokerFixture.now })
        var checkIn = ProtobufWriter()
        checkIn.write(12, 2)
        checkIn.write(fixed: 34, 13)
        let form = "app=org.chromium.linux&X-subtype=wp%3Aa&sender=\(try sample.publicKey)&appid=i1&delete=false"
        var statuses: Set<Int> = []
        for _ in 0..<Self.count {
            let isCheckIn = generator.number(0...1) == 0
            var body = isCheckIn ? checkIn.bytes : Array(form.utf8)
            ByteMutation.apply(generator.pick([0, 1, 2, 5]), to: &body, &generator)
            let request = BrowserRequest(
                method: "POST", path: isCheckIn ? BrowserResponder.checkInPath : BrowserResponder.registrationPath,
                authorization: generator.pick(["AidLogin 12:34", "AidLogin 12:35", "AidLogin x:34", nil]), body: body)
            statuses.insert(responder.respond(to: request).status)
        }
        #expect(statuses == [200, 400, 401])
    }

    // MARK: Firefox

    @Test("Firefox's messages, changed at random, are answered in JSON, are ignored, or close the connection")
    func autopush() throws {
        var generator = SeededGenerator(seed: 5)
        let messages = try texts.map { try JSONValue(parsing: $0) }
        var outcomes: Set<String> = []
        for _ in 0..<Self.count {
            var session = AutopushSession(broker: fixture.broker)
            _ = session.receive(#"{"messageType":"hello"}"#)
            for _ in 0..<5 {
                var json = generator.pick(messages)
                JSONMutation.apply(to: &json, &generator)
                var bytes = json.serialized
                ByteMutation.apply(generator.pick([0, 0, 0, 1]), to: &bytes, &generator)
                switch session.receive(String(decoding: bytes, as: UTF8.self)) {
                case .greet: Issue.record("a browser was greeted twice")
                case .answer(let text):
                    outcomes.insert("answer")
                    #expect((try? JSONValue(parsing: text))?.object != nil)
                case .ignore: outcomes.insert("ignore")
                case .close: outcomes.insert("close")
                }
            }
        }
        #expect(outcomes == ["answer", "ignore", "close"])
    }

    private var texts: [String] {
        get throws {
            [
                #"{"messageType":"hello","uaid":"ab12","use_webpush":true}"#,
                #"{"messageType":"register","channelID":"c1","key":"\#(try sample.publicKey)="}"#,
                #"{"messageType":"unregister","channelID":"c1","code":200}"#,
                #"{"messageType":"ack","updates":[{"channelID":"c1","version":"v1","code":100},{"version":"v2"}]}"#,
                #"{"messageType":"nack","version":"v1","code":301}"#,
                #"{"messageType":"broadcast_subscribe","broadcasts":{"a":"b"}}"#, "{}", #"{"messageType":"ping"}"#,
            ]
        }
    }

    // MARK: Senders

    @Test(
        "A request of a sender, changed at random, is accepted or refused with a cause",
        arguments: PushServiceProfile.allCases)
    func requests(service: PushServiceProfile) throws {
        var generator = SeededGenerator(seed: 6)
        let subscription = try sample.subscription(service)
        let authorization = try sample.authorization(audience: .string(subscription.origin))
        var (accepted, refused) = (0, 0)
        for _ in 0..<Self.count {
            var request = try sample.request(
                to: subscription, changes(authorization, &generator), body: try body(&generator))
            if generator.number(0...9) == 0 { request.path += generator.pick(OddText.segments) }
            let verdict = sample.verdict(on: request, for: subscription)
            if let rejection = verdict.rejection {
                refused += 1
                #expect((400..<500).contains(rejection.status) && verdict.cause != nil)
            } else {
                accepted += 1
                #expect((0...service.longestTimeToLive).contains(verdict.timeToLive))
            }
        }
        #expect(accepted > 0 && refused > 0)
    }

    /// Returns the fields to replace or remove: none, one or two.
    private func changes(_ authorization: String, _ generator: inout SeededGenerator) -> [String: String?] {
        var changes: [String: String?] = ["authorization": authorization]
        for _ in 0..<generator.number(0...2) {
            let name = generator.pick(["ttl", "urgency", "topic", "content-encoding", "x-wns-cache-policy", "prefer"])
            let value: String? =
                generator.number(0...9) == 0 ? nil : generator.pick(OddText.values + OddText.numbers)
            changes.updateValue(value, forKey: name)
        }
        if generator.number(0...3) == 0 {
            var bytes = Array(authorization.utf8)
            ByteMutation.apply(1, to: &bytes, &generator)
            changes.updateValue(String(decoding: bytes, as: UTF8.self), forKey: "authorization")
        }
        return changes
    }

    private func body(_ generator: inout SeededGenerator) throws -> [UInt8] {
        var body = try sample.body()
        ByteMutation.apply(generator.pick([0, 0, 1, 2]), to: &body, &generator)
        return body
    }
}
