import JSON
import Messaging
import TestDoubles
import Testing

@Suite("Messages in FCM's JSON")
struct MessageTests {
    @Test("A message is written in FCM's JSON")
    func json() throws {
        let message = Message(
            notification: .init(title: "agent", body: "Done"), data: ["b": "2", "a": "1"],
            apns: .init(headers: ["apns-priority": "10"], payload: ["aps": ["sound": "default"]]))
        #expect(
            message.json.text
                == #"{"notification":{"title":"agent","body":"Done"},"data":{"a":"1","b":"2"},"#
                + #""apns":{"headers":{"apns-priority":"10"},"payload":{"aps":{"sound":"default"}}}}"#)
    }

    @Test("Absent fields of a message stay absent in its JSON")
    func absent() {
        #expect(Message().json.text == "{}")
        #expect(Message(notification: .init(body: "b")).json.text == #"{"notification":{"body":"b"}}"#)
    }

    @Test(
        "A message survives writing and reading",
        arguments: [
            Message(), .sample(), Message(notification: .init()), Message(data: ["quote\"": "line\n\u{0}😀"]),
            Message(apns: .init()), Message(apns: .init(payload: ["aps": ["content-available": 1], "x": [1, nil]])),
            .everything,
        ])
    func roundTrip(message: Message) throws {
        #expect(Message(json: try JSONValue(parsing: message.jsonText)) == message)
        #expect(message.json.text == message.jsonText)
        var memory = Array("earlier".utf8)
        for _ in 0..<2 {
            let text = message.jsonText(memory: &memory)
            #expect(text == message.jsonText && memory == message.encodedJSON)
        }
    }

    @Test("A message's JSON has all of FCM's fields, and other platforms' fields unchanged")
    func everything() {
        #expect(
            Message.everything.json.text
                == #"{"notification":{"title":"T","image":"https://example.com/1.png"},"#
                + #""apns":{"fcmOptions":{"analyticsLabel":"apple","image":"https://example.com/2.png"},"#
                + #""liveActivityToken":"a1b2c3d4"},"android":{"ttl":"3s"},"androidV2":{"collapseKey":"k"},"#
                + #""webpush":{"headers":{"TTL":"1"}},"fcmOptions":{"analyticsLabel":"all"}}"#)
    }

    @Test("A message stored by earlier versions can be read")
    func stored() throws {
        let text = #"{"notification":{"title":"T"},"data":{"a":"1"},"apns":{"headers":{},"payload":{"aps":{}}}}"#
        #expect(
            Message(json: try JSONValue(parsing: text))
                == Message(notification: .init(title: "T"), data: ["a": "1"], apns: .init(payload: ["aps": [:]])))
        let empty = #"{"apns":{"headers":{},"payload":{}}}"#
        #expect(Message(json: try JSONValue(parsing: empty)) == Message(apns: .init()))
    }

    @Test("The redacted JSON of a message shows a fingerprint instead of a Live Activity token")
    func redacted() throws {
        let shown = Message.everything.redactedJSON
        #expect(shown["apns"]?["liveActivityToken"] == .string(RegistrationToken("a1b2c3d4").description))
        #expect(!shown.text.contains("a1b2c3d4"))
        #expect(!String(describing: Message.everything).contains("a1b2c3d4"))
        #expect(shown["fcmOptions"] == ["analyticsLabel": "all"])
    }
}

extension Message {
    fileprivate static var everything: Message {
        Message(
            notification: .init(title: "T", image: "https://example.com/1.png"),
            apns: .init(
                fcmOptions: .init(analyticsLabel: "apple", image: "https://example.com/2.png"),
                liveActivityToken: RegistrationToken("a1b2c3d4")),
            android: ["ttl": "3s"], androidV2: ["collapseKey": "k"], webpush: ["headers": ["TTL": "1"]],
            fcmOptions: ["analyticsLabel": "all"])
    }
}
