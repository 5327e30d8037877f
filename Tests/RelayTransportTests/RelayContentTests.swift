import Cryptography
import JSON
import Messaging
import Testing

@testable import RelayTransport
@testable import WebPush

@Suite("Contents for relays")
struct RelayContentTests {
    private func outgoing(_ message: Message, id: String? = nil, expiration: Int64 = 1_000) -> OutgoingMessage {
        OutgoingMessage(message: message, lane: Lane(transport: .relay), expiration: expiration, id: id)
    }

    private func text(_ message: Message, id: String? = nil, receipt: String? = nil) -> String? {
        RelayContent(of: outgoing(message, id: id), receipt: receipt).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test("A message becomes the plain text of version 1, and absent parts are left out")
    func translation() {
        let message = Message(
            notification: Message.Notification(title: "Build", body: "Done"), data: ["b": "2", "a": "1"],
            apns: Message.APNsConfiguration(
                headers: ["apns-collapse-id": "agent-1"],
                payload: ["aps": ["sound": "default", "badge": 3, "thread-id": "t"], "a": "own", "n": 5]))
        #expect(
            text(message)
                == #"{"v":1,"title":"Build","body":"Done","data":{"a":"own","b":"2"},"badge":3,"sound":"default","#
                + #""thread":"t","collapse_id":"agent-1"}"#)
        #expect(text(Message(data: ["a": "1"])) == #"{"v":1,"data":{"a":"1"}}"#)
        #expect(
            text(Message(), id: "m1", receipt: "https://x/1")
                == #"{"v":1,"data":{"gcm.message_id":"m1","pushgate_receipt":"https://x/1"}}"#)
    }

    @Test("A long body is cut at its end until the text has 2,816 bytes, and its other parts stay")
    func cut() throws {
        let body = String(repeating: "ü", count: 4_000)
        let message = Message(notification: Message.Notification(title: "Build", body: body), data: ["a": "1"])
        let content = try #require(RelayContent(of: outgoing(message, id: "m1")))
        #expect(content.isCut && (2_814...2_816).contains(content.bytes.count))
        let json = try JSONValue(parsing: content.bytes)
        #expect(json["body"]?.string?.hasSuffix("ü…") == true)
        #expect(json["title"] == "Build" && json["data"] == ["a": "1"])
    }

    @Test("A message whose other parts are too long is rejected for every address, and one of a Live Activity too")
    func rejected() {
        let long = Message(
            notification: Message.Notification(title: "t", body: "b"),
            data: ["a": String(repeating: "x", count: 3_000)])
        #expect(AuthorRelayTransport.rejection(of: outgoing(long)) == .payloadTooLarge)
        var activity = Message()
        activity.apns = Message.APNsConfiguration(liveActivityToken: RegistrationToken("ab"))
        #expect(AuthorRelayTransport.rejection(of: outgoing(activity)) == .liveActivity)
        #expect(AuthorRelayTransport.rejection(of: outgoing(Message(data: ["a": "1"]))) == nil)
    }

    // MARK: Cards

    private func card(_ aps: JSONObject, _ headers: [String: String] = [:], data: [String: String] = ["run_id": "r1"])
        -> Message
    {
        var all = ["apns-push-type": "liveactivity", "apns-priority": "5"]
        all.merge(headers) { $1 }
        return Message(
            notification: Message.Notification(title: "my-repo", body: "Running"), data: data,
            apns: Message.APNsConfiguration(headers: all, payload: ["aps": .object(aps)]))
    }

    @Test("A card's content is sealed with the title and the facts of its run, and Apple's facts are in the clear")
    func cards() throws {
        let start = card([
            "event": "start", "timestamp": 900, "content-state": ["state": "running"], "stale-date": 1_800,
            "attributes": ["card": "c1", "title": "my-repo"], "alert": ["title": "my-repo", "body": "Running"],
        ])
        #expect(
            text(start, id: "m1") == #"{"v":1,"title":"my-repo","data":{"run_id":"r1"},"state":{"state":"running"}}"#)
        let delivery = RelayDelivery(of: outgoing(start), now: 900)
        #expect(delivery.kind == .liveActivity && delivery.priority == .normal)
        let key = [UInt8](0..<32)
        let id = JSONValue.string(CollapseDigest.text(of: "c1", key: key))
        #expect(
            delivery.card?.json(key: key) == ["id": id, "event": "start", "timestamp": 900, "stale_at": 1_800])
        let end = card(
            ["event": "end", "timestamp": 901, "content-state": ["state": "finished"], "dismissal-date": 2_000],
            ["apns-collapse-id": "c1"])
        let last = RelayDelivery(of: outgoing(end), now: 900)
        #expect(last.card?.json(key: key) == ["id": id, "event": "end", "timestamp": 901, "dismiss_at": 2_000])
        #expect(last.priority == .normal)
        let call = RelayDelivery(
            of: outgoing(
                card(
                    ["event": "update", "timestamp": 902, "content-state": ["state": "waiting"]],
                    ["apns-collapse-id": "c1", "apns-priority": "10"])), now: 900)
        #expect(call.kind == .liveActivity && call.priority == .high)
    }

    @Test(
        "A card whose text is longer than 2,048 bytes is rejected, and a Live Activity of FCM's is none of these cards")
    func largeCards() {
        func large(_ count: Int) -> Message {
            card(
                [
                    "event": "update", "timestamp": 900,
                    "content-state": ["text": .string(String(repeating: "x", count: count))],
                ],
                ["apns-collapse-id": "c1"], data: [:])
        }
        let overhead = #"{"v":1,"title":"my-repo","state":{"text":""}}"#.utf8.count
        #expect(AuthorRelayTransport.rejection(of: outgoing(large(2_048 - overhead))) == nil)
        #expect(AuthorRelayTransport.rejection(of: outgoing(large(2_049 - overhead))) == .payloadTooLarge)
        var ofFCM = large(1)
        ofFCM.apns?.liveActivityToken = RegistrationToken("ab")
        #expect(RelayCard(of: ofFCM) == nil && RelayCard(of: Message(data: ["a": "1"])) == nil)
    }

    @Test(
        "Texts are padded to one of five sizes",
        arguments: [(1, 256), (256, 256), (257, 512), (1_025, 2_048), (2_049, 2_816), (2_816, 2_816)])
    func sizes(count: Int, size: Int) throws {
        let phone = try RelayPhone()
        let keys = try RelayKeys(try phone.registered().attributes.secrets)
        let content = Array("\"\(String(repeating: "x", count: max(0, count - 2)))\"".utf8).prefix(count)
        let sealed = try SealedContent.seal(
            count == 1 ? [UInt8(ascii: "1")] : Array(content), for: keys.receiver, senderKey: .generate(),
            salt: RandomBytes.generate(16))
        let opened = try phone.open(sealed)
        #expect(opened.size == size && opened.json.serialized.count == count)
        // Header, padded text, delimiter and tag.
        #expect(Base64URL.decode(sealed)?.count == size + 103)
    }

    @Test("No size is missing, and a longer text is not sealed")
    func longest() throws {
        #expect(SealedContent.sizes.last == SealedContent.maximumByteCount && SealedContent.size(for: 2_817) == nil)
        let keys = try RelayKeys(try RelayPhone().registered().attributes.secrets)
        #expect(throws: CryptographyError.self) {
            try SealedContent.seal(
                Array(repeating: 0, count: 2_817), for: keys.receiver, senderKey: .generate(),
                salt: RandomBytes.generate(16))
        }
    }

    /// The keys and the salt are those of RFC 8291, appendix A; another implementation has sealed the text.
    @Test("A text with known keys is sealed to a known body")
    func vector() throws {
        let receiver = try ReceiverKeys(
            p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            auth: "BTBZMqHH6r4Tts7J_aSIgg")
        let scalar = try #require(Base64URL.decode("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
        let sealed = try SealedContent.seal(
            Array(#"{"v":1,"title":"Build","body":"Done"}"#.utf8), for: receiver,
            senderKey: P256AgreementKey(scalar: scalar),
            salt: try #require(Base64URL.decode("DGv6ra1nlYgDCS1FRnbzlw")))
        #expect(sealed.utf8.count == 479)
        #expect(
            SHA256.hexadecimal(of: sealed) == "3c0ce46be8e5ad642585b88888090bac22cd289a2cafed609badf0d96e9f0aca")
    }

    @Test(
        "The digest of a collapse id is the beginning of its HMAC-SHA-256",
        arguments: [
            ("abc", "8BM3KcQWPe3oHiHNR4OSVg"), ("agent-1", "EOBKhnfuc3yNoZSzL6LogA"),
            (String(repeating: "é", count: 40), "0NwT9_P5aD86nSOC-3hSbw"),
        ])
    func collapseDigests(id: String, digest: String) {
        #expect(CollapseDigest.text(of: id, key: Array(0..<32)) == digest)
    }

    @Test("A message that shows a text is an alert of high priority, unless it says otherwise; any other wakes the app")
    func deliveries() {
        func delivery(_ headers: [String: String] = [:], body: String? = "b", android: JSONObject? = nil)
            -> RelayDelivery
        {
            let notification = body.map { Message.Notification(body: $0) }
            let apns = Message.APNsConfiguration(headers: headers)
            return RelayDelivery(
                of: outgoing(Message(notification: notification, apns: apns, android: android)), now: 900)
        }
        func isSame(_ one: RelayDelivery, _ kind: RelayDelivery.Kind, _ priority: RelayDelivery.Priority) -> Bool {
            one.kind == kind && one.priority == priority
        }
        #expect(isSame(delivery(), .alert, .high) && delivery().ttl == 100)
        #expect(isSame(delivery(["apns-priority": "5"]), .alert, .normal))
        #expect(isSame(delivery(android: ["priority": "NORMAL"]), .alert, .normal))
        #expect(isSame(delivery(["apns-priority": "10"], android: ["priority": "NORMAL"]), .alert, .high))
        #expect(isSame(delivery(["apns-priority": "10"], body: nil), .background, .normal))
        #expect(isSame(delivery(["apns-push-type": "background"]), .background, .normal))
        #expect(isSame(delivery(body: ""), .background, .normal))
        #expect(delivery(["apns-expiration": "0"]).ttl == 0)
        #expect(RelayDelivery(of: outgoing(Message()), now: 2_000).ttl == 0)
    }
}
