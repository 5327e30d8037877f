import JSON
import Messaging
import Testing

@testable import APNs

@Suite("A message as APNs' payload")
struct APNsPayloadTests {
    @Test("puts the notification into the alert, data beside it, and lays apns.payload over both")
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

    @Test("lets apns.payload's own alert win")
    func ownAlert() throws {
        let message = Message(
            notification: .init(title: "Agent", body: "Done"), apns: .init(payload: ["aps": ["alert": "Mine"]]))
        let payload = try #require(APNsPayload(message))
        #expect(try JSONValue(parsing: payload.bytes)["aps"] == ["alert": "Mine"])
    }

    @Test("has no alert for a message without a notification")
    func dataOnly() throws {
        let payload = try #require(APNsPayload(Message(data: ["a": "b"])))
        #expect(try JSONValue(parsing: payload.bytes) == ["aps": [:], "a": "b"])
    }

    @Test(
        "cuts the body between characters until the payload fits 4,096 bytes, and no further",
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

    @Test("leaves a body alone that fits to the byte")
    func fits() throws {
        let empty = try #require(APNsPayload(Message(notification: .init(title: "T", body: ""))))
        let body = String(repeating: "a", count: 4_096 - empty.bytes.count)
        let payload = try #require(APNsPayload(Message(notification: .init(title: "T", body: body))))
        #expect(payload.bytes.count == 4_096)
        #expect(try JSONValue(parsing: payload.bytes)["aps"]?["alert"]?["body"]?.string == body)
    }

    @Test("is refused when what is left without a body is still too large")
    func refuses() {
        let data = ["k": String(repeating: "v", count: 5_000)]
        #expect(APNsPayload(Message(notification: .init(title: "T", body: "short"), data: data)) == nil)
        #expect(APNsPayload(Message(data: data)) == nil)
    }

    @Test("has the message's id beside aps, which wins over the app's own, and goes without where it does not fit")
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
