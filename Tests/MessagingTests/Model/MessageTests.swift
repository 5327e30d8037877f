import JSON
import Messaging
import Testing

@Suite("Messages as FCM writes them")
struct MessageTests {
    @Test("a message is FCM's JSON")
    func json() throws {
        let message = Message(
            notification: .init(title: "agent", body: "Done"), data: ["b": "2", "a": "1"],
            apns: .init(headers: ["apns-priority": "10"], payload: ["aps": ["sound": "default"]]))
        #expect(
            message.json.text
                == #"{"notification":{"title":"agent","body":"Done"},"data":{"a":"1","b":"2"},"#
                + #""apns":{"headers":{"apns-priority":"10"},"payload":{"aps":{"sound":"default"}}}}"#)
    }

    @Test("what is absent stays absent")
    func absent() {
        #expect(Message().json.text == "{}")
        #expect(Message(notification: .init(body: "b")).json.text == #"{"notification":{"body":"b"}}"#)
    }

    @Test(
        "reads back what it writes",
        arguments: [
            Message(), .sample(), Message(notification: .init()), Message(data: ["quote\"": "line\n\u{0}😀"]),
            Message(apns: .init()), Message(apns: .init(payload: ["aps": ["content-available": 1], "x": [1, nil]])),
        ])
    func roundTrip(message: Message) throws {
        #expect(Message(json: try JSONValue(parsing: message.json.text)) == message)
    }
}
