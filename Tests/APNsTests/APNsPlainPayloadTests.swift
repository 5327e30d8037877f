import JSON
import Messaging
import Testing

@testable import APNs

@Suite("The payload of a usual message")
struct APNsPlainPayloadTests {
    private func message(
        _ notification: Message.Notification? = .init(title: "Agent", body: "Done \"at last\"\n"),
        data: [String: String] = ["type": "reply", "b": "2", "a": "1", "ab": "é", "": "none"],
        payload: JSONObject = ["aps": ["sound": "default", "thread-id": "t", "content-available": 1]]
    ) -> Message {
        Message(notification: notification, data: data, apns: .init(payload: payload))
    }

    private func text(_ message: Message, _ id: String?) -> String {
        JSONValue.object(APNsPayload.object(for: message, id: id)).text
    }

    @Test("It is that of the general translation", arguments: ["m", nil] as [String?])
    func sameText(id: String?) throws {
        let messages = [
            message(), message(nil), message(.init()), message(.init(title: "T")), message(.init(body: "B")),
            message(data: [:]), message(payload: [:]), message(payload: ["aps": "no object"]),
            message(payload: ["aps": ["category": "c", "badge": -3, "list": [nil, 1.5], "map": ["x": ["y": false]]]]),
            Message(), Message(data: ["k": "v"]),
        ]
        for message in messages {
            let plain = try #require(APNsPayload.plain(message, id: id))
            #expect(String(decoding: plain, as: UTF8.self) == text(message, id))
            #expect(APNsPayload(message, id: id)?.bytes == plain)
        }
    }

    @Test("A message of which parts may replace others, or with null, has only the general translation")
    func others() throws {
        var image = message()
        image.notification?.image = "https://example.com/i.png"
        let messages = [
            image, message(data: ["aps": "x"]), message(data: ["gcm.message_id": "x"]), message(data: ["é": "x"]),
            message(payload: ["aps": ["alert": "Mine"]]), message(payload: ["aps": ["sound": nil]]),
            message(payload: ["aps": ["map": ["x": nil]]]), message(payload: ["a": 3]),
        ]
        for message in messages {
            #expect(APNsPayload.plain(message, id: "m") == nil)
            let payload = try #require(APNsPayload(message, id: "m"))
            #expect(String(decoding: payload.bytes, as: UTF8.self) == text(message, "m"))
        }
    }
}
