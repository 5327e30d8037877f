import JSON
import Messaging
import Testing

@testable import APNs

@Suite("A message as an APNs payload")
struct APNsPayloadTests {
    @Test("The APNs payload contains the notification as alert and data beside it, and apns.payload replaces both")
    func translates() throws {
        let message = Message(
            notification: .init(title: "Agent", body: "Done"),
            data: ["type": "reply_finished", "badge": "data", "own": "data"],
            apns: .init(payload: ["aps": ["sound": "default", "content-available": 1], "own": ["payload": true]]))
        let payload = try #require(APNsPayload(message))
        #expect(
            try JSONValue(parsing: payload.bytes) == [
                "aps": ["alert": ["title": "Agent", "body": "Done"], "sound": "default", "content-available": 1],
                "type": "reply_finished", "badge": "data", "own": ["payload": true],
            ])
    }

    @Test("The alert in apns.payload replaces the notification's alert")
    func ownAlert() throws {
        let message = Message(
            notification: .init(title: "Agent", body: "Done"), apns: .init(payload: ["aps": ["alert": "Mine"]]))
        let payload = try #require(APNsPayload(message))
        #expect(try JSONValue(parsing: payload.bytes)["aps"] == ["alert": "Mine"])
    }

    @Test("A message without a notification has no alert in its APNs payload")
    func dataOnly() throws {
        let payload = try #require(APNsPayload(Message(data: ["a": "b"])))
        #expect(try JSONValue(parsing: payload.bytes) == ["aps": [:], "a": "b"])
    }

    @Test(
        "A long body is cut between characters until the payload just fits 4,096 bytes",
        arguments: ["a", "é", "😀", "👩‍👩‍👧‍👦", "\"", "\n"])
    func shortens(character: String) throws {
        let body = String(repeating: character, count: 5_000)
        let payload = try #require(APNsPayload(Message(notification: .init(title: "T", body: body), data: ["k": "v"])))
        let json = try JSONValue(parsing: payload.bytes)
        let shown = try #require(json["aps"]?["alert"]?["body"]?.string)
        #expect(shown.hasSuffix("…"))
        #expect(body.hasPrefix(shown.dropLast()))
        #expect(json["k"] == "v")
        let size = JSONValue.string(character).serialized.count - 2
        #expect((4_096 - size + 1...4_096).contains(payload.bytes.count))
    }

    @Test("A body whose payload has exactly 4,096 bytes stays whole")
    func fits() throws {
        let empty = try #require(APNsPayload(Message(notification: .init(title: "T", body: ""))))
        let body = String(repeating: "a", count: 4_096 - empty.bytes.count)
        let payload = try #require(APNsPayload(Message(notification: .init(title: "T", body: body))))
        #expect(payload.bytes.count == 4_096)
        #expect(try JSONValue(parsing: payload.bytes)["aps"]?["alert"]?["body"]?.string == body)
    }

    @Test("A message whose data alone exceeds 4,096 bytes has no APNs payload")
    func refuses() {
        let data = ["k": String(repeating: "v", count: 5_000)]
        #expect(APNsPayload(Message(notification: .init(title: "T", body: "short"), data: data)) == nil)
        #expect(APNsPayload(Message(data: data)) == nil)
    }

    @Test("The message id replaces the app's gcm.message_id in the payload and is left out if it does not fit")
    func id() throws {
        func payload(_ data: [String: String]) throws -> APNsPayload {
            let message = Message(data: data)
            return try #require(
                APNsPayload(
                    of: OutgoingMessage(message: message, lane: Lane(transport: .apns), expiration: 0, id: "m1")))
        }
        #expect(
            try JSONValue(parsing: payload(["a": "b", "gcm.message_id": "own"]).bytes) == [
                "aps": [:], "a": "b", "gcm.message_id": "m1",
            ])
        let empty = try #require(APNsPayload(Message(data: ["k": ""])))
        let text = String(repeating: "x", count: 4_096 - empty.bytes.count)
        #expect(try JSONValue(parsing: payload(["k": text]).bytes) == ["aps": [:], "k": .string(text)])
    }
}
