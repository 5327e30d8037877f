import Foundation
import HTTPClient
import HTTPTypes
import JSON
import TestDoubles
import Testing

@testable import WebPushService

@Suite("Stand-ins of browsers at the push service", .timeLimit(.minutes(10)))
struct BrowserStandInTests {
    private func isDelivered(_ fixture: RunningPushServiceFixture, _ delivery: MessageDelivery) async throws {
        try await fixture.service.wait(for: 1, matching: MessageFilter(delivery: delivery), timeout: .patience)
    }

    @Test("Firefox subscribes, gets the encrypted message, and acknowledges it")
    func firefox() async throws {
        try await RunningPushServiceFixture.run { fixture in
            let key = try fixture.sample.publicKey
            try await FirefoxStandIn.run(port: RunningPushServiceFixture.port(fixture.addresses.firefox)) { firefox in
                _ = try await firefox.hello()
                let endpoint = try await firefox.register("c1", key: key)
                let subscription = try #require(fixture.service.subscriptions.first)
                #expect(subscription.endpoint == endpoint)
                #expect(subscription.applicationServerKey == key)
                // A frame with a length of two bytes.
                let body = try fixture.sample.body(recordLength: 3_000)
                #expect(try await fixture.push(to: subscription, body: body).statusCode == 201)
                let notification = try await firefox.next()
                #expect(notification["messageType"] == "notification")
                #expect(notification["channelID"] == "c1")
                #expect(notification["headers"] == ["encoding": "aes128gcm"])
                #expect(notification["data"]?.string?.isEmpty == false)
                try await isDelivered(fixture, .sent)
                let version = try #require(notification["version"])
                try await firefox.send(["messageType": "ack", "updates": [["version": version, "code": 100]]])
                try await isDelivered(fixture, .acknowledged)

                try await firefox.send(["messageType": "unregister", "channelID": "c1"])
                #expect(try await firefox.next()["status"] == 200)
                #expect(try await fixture.push(to: subscription).statusCode == 410)
                try await firefox.send(0x89, [1, 2])
                let pong = try await firefox.frame()
                #expect(pong.opcode == 0x8A)
                #expect(pong.content == [1, 2])
            }
        }
    }

    @Test("Firefox gets a message after it has connected again, and the last one of a topic alone")
    func firefoxReconnects() async throws {
        try await RunningPushServiceFixture.run { fixture in
            let key = try fixture.sample.publicKey
            let port = try RunningPushServiceFixture.port(fixture.addresses.firefox)
            let id = try await FirefoxStandIn.run(port: port) { firefox in
                let id = try await firefox.hello()
                _ = try await firefox.register("c1", key: key)
                return id
            }
            try await eventually("the browser is gone") { fixture.service.counters.browsersConnected == 0 }
            let subscription = try #require(fixture.service.subscriptions.first)
            for _ in 0..<2 { _ = try await fixture.push(to: subscription) }
            #expect(fixture.service.counters.messagesByDelivery[.replaced] == 1)
            #expect(fixture.service.counters.messagesByDelivery[.waiting] == 1)
            try await FirefoxStandIn.run(port: port) { firefox in
                let greeted = try await firefox.hello(id)
                #expect(greeted == id)
                let waiting = fixture.service.received().last?.messageID
                #expect(try await firefox.next()["version"]?.string == waiting)
            }
        }
    }

    @Test("A WebSocket that is no autopush is closed with a reason")
    func malformed() async throws {
        try await RunningPushServiceFixture.run { fixture in
            let port = try RunningPushServiceFixture.port(fixture.addresses.firefox)
            try await FirefoxStandIn.run(port: port) { firefox in
                try await firefox.send(0x81, Array("hello".utf8))
                let close = try await firefox.frame()
                #expect(close.opcode == 0x88)
                #expect(close.content == [0x03, 0xEA], "1002 is a protocol error")
            }
        }
    }

    private func post(
        _ url: String, _ body: [UInt8], authorization: String? = nil, _ fixture: RunningPushServiceFixture
    ) async throws -> [UInt8] {
        var fields = HTTPFields()
        if let authorization { fields[.authorization] = authorization }
        let response = try await fixture.client.execute(
            HTTPClientRequest(
                method: .post, url: url, headerFields: fields, body: body, deadline: .patience, version: .http1))
        #expect(response.statusCode == 200)
        return response.body
    }

    @Test("Chromium checks in, subscribes, logs in, gets the encrypted message, and acknowledges it")
    func chromium() async throws {
        try await RunningPushServiceFixture.run { fixture in
            let addresses = fixture.addresses
            let key = try fixture.sample.publicKey
            let checkIn = try ProtobufFields(await post(addresses.chromiumCheckIn, [], fixture))
            let id = try #require(checkIn.number(7))
            let secret = try #require(checkIn.number(8))
            let form = "app=org.chromium.linux&X-subtype=wp%3A1&sender=\(key)&device=\(id)"
            let answer = try await post(
                addresses.chromiumRegistration, Array(form.utf8), authorization: "AidLogin \(id):\(secret)", fixture)
            let subscription = try #require(fixture.service.subscriptions.first)
            #expect(String(decoding: answer, as: UTF8.self) == "token=\(subscription.token)")

            let port = try RunningPushServiceFixture.port(addresses.chromiumMCS)
            let caFile = addresses.certificateAuthorityPath
            let first = try await ChromiumStandIn.run(port: port, caFile: caFile) { chromium in
                try await chromium.logIn(id, secret)
                #expect(try await fixture.push(to: subscription).statusCode == 201)
                let (fields, streamID) = try await chromium.nextMessage()
                #expect(fields.text(3) == key)
                #expect(fields.text(5) == "org.chromium.linux")
                let body = try fixture.sample.body()
                #expect(fields.bytes(21) == body)
                #expect(try await chromium.next().tag == MCSTag.heartbeatPing)
                try await isDelivered(fixture, .sent)
                try await chromium.send(MCSTag.heartbeatAck) { $0.write(streamID + 1, 2) }
                try await isDelivered(fixture, .acknowledged)
                return fields.text(9)
            }
            #expect(first == fixture.service.received().first?.messageID)

            // Messages that were received over the former connection are not sent again, and the others are.
            let unacknowledged = try await ChromiumStandIn.run(port: port, caFile: caFile) { chromium in
                try await chromium.logIn(id, secret)
                for topic in ["a", "b"] { _ = try await fixture.push(to: subscription, ["topic": topic]) }
                return [
                    try await chromium.nextMessage().fields.text(9), try await chromium.nextMessage().fields.text(9),
                ]
            }
            try await ChromiumStandIn.run(port: port, caFile: caFile) { chromium in
                try await chromium.logIn(id, secret, received: [unacknowledged[0] ?? ""])
                #expect(try await chromium.nextMessage().fields.text(9) == unacknowledged[1])
            }
        }
    }

    @Test("A message that is not urgent waits while browsers save power")
    func urgency() async throws {
        try await RunningPushServiceFixture.run { fixture in
            let key = try fixture.sample.publicKey
            try await FirefoxStandIn.run(port: RunningPushServiceFixture.port(fixture.addresses.firefox)) { firefox in
                _ = try await firefox.hello()
                _ = try await firefox.register("c1", key: key)
                let subscription = try #require(fixture.service.subscriptions.first)
                fixture.service.setMinimumUrgency(.high)
                _ = try await fixture.push(to: subscription, ["urgency": "low", "topic": nil])
                _ = try await fixture.push(to: subscription, ["urgency": "high", "topic": nil])
                let messages = fixture.service.received()
                #expect(try await firefox.next()["version"]?.string == messages[1].messageID)
                #expect(fixture.service.received()[0].delivery == .waiting)
                fixture.service.setMinimumUrgency(.veryLow)
                #expect(try await firefox.next()["version"]?.string == messages[0].messageID)
            }
        }
    }
}
