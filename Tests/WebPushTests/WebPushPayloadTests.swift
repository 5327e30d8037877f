import JSON
import Messaging
import Testing

@testable import WebPush

@Suite("Payload")
struct WebPushPayloadTests {
    private let template = NavigationTemplate("https://app.example/agents/{agent}")

    private func outgoing(_ message: Message, id: String? = "m1") -> OutgoingMessage {
        OutgoingMessage(message: message, lane: Lane(transport: .webPush), expiration: 0, id: id)
    }

    private func json(
        _ message: Message, _ form: WebPushPayload.Form = .declarative, navigation: NavigationTemplate? = nil
    ) throws -> JSONValue {
        let payload = try #require(WebPushPayload(of: outgoing(message), form, navigation: navigation))
        return try JSONValue(parsing: payload.bytes)
    }

    private func text(_ message: Message, _ form: WebPushPayload.Form = .declarative) throws -> String {
        let payload = try #require(WebPushPayload(of: outgoing(message), form, navigation: template))
        return String(decoding: payload.bytes, as: UTF8.self)
    }

    @Test(
        "The address for receipts is a member of its own, and changes nothing else",
        arguments: WebPushPayload.Form.allCases)
    func receipt(_ form: WebPushPayload.Form) throws {
        let message = outgoing(Message(notification: Message.Notification(title: "T"), data: ["k": "v"]))
        let plain = try #require(WebPushPayload(of: message, form, navigation: nil))
        let asked = try #require(
            WebPushPayload(of: message, form, navigation: nil, receipt: "https://p.example/v1/receipts/m1.s"))
        var object = try #require(try JSONValue(parsing: asked.bytes).object)
        #expect(object["pushgate_receipt"] == "https://p.example/v1/receipts/m1.s")
        object["pushgate_receipt"] = nil
        #expect(try JSONValue(parsing: plain.bytes) == .object(object))
    }

    @Test("A system's message becomes a declarative message with all of its data")
    func system() throws {
        let message = Message(
            notification: Message.Notification(title: "Folder", body: "Reply ready"),
            data: ["type": "reply_finished", "agent": "a/1 ä"],
            apns: Message.APNsConfiguration(
                headers: ["apns-collapse-id": "agent-1"], payload: ["aps": ["sound": "default", "badge": 3]]))
        #expect(
            try text(message)
                == #"{"web_push":8030,"notification":{"title":"Folder","body":"Reply ready","#
                + #""navigate":"https://app.example/agents/a%2F1%20%C3%A4","tag":"agent-1","#
                + #""data":{"agent":"a/1 ä","type":"reply_finished"}},"app_badge":3,"message_id":"m1"}"#)
    }

    @Test("The changes of a card are one notification by their tag, which sounds again only when somebody is needed")
    func card() throws {
        func change(_ body: String, _ sound: JSONObject) -> Message {
            Message(
                notification: Message.Notification(title: "my-repo", body: body),
                data: ["type": "card", "card": "c-1"],
                apns: Message.APNsConfiguration(
                    headers: ["apns-push-type": "liveactivity", "apns-collapse-id": "c-1"],
                    payload: ["aps": ["event": "update", "timestamp": 1, "content-state": ["state": "running"]]]),
                webpush: ["notification": .object(sound)])
        }
        let shown: [(String, JSONObject)] = [
            ("Reading", ["silent": true]), ("Needs you · Push?", ["renotify": true]), ("Finished", ["silent": true]),
        ]
        for (body, sound) in shown {
            let message = change(body, sound)
            let notification = try json(message)["notification"]
            #expect(notification?["tag"] == "c-1" && notification?["title"] == "my-repo")
            #expect(notification?["body"] == .string(body) && notification?["data"] == ["card": "c-1", "type": "card"])
            #expect(notification?["silent"] == sound["silent"] && notification?["renotify"] == sound["renotify"])
            let headers = WebPushHeaders(of: outgoing(message), now: 0)
            #expect(headers.topic == WebPushHeaders.topic("c-1"))
        }
    }

    @Test("FCM's part for browsers wins, and its link is the URL that the notification opens")
    func webPart() throws {
        let message = Message(
            notification: Message.Notification(title: "All", body: "Text", image: "https://a.example/1.png"),
            data: ["for": "all"],
            webpush: [
                "notification": ["title": "Web", "icon": "/i.png", "tag": "t", "actions": [["action": "ok"]]],
                "data": ["for": "web"], "fcmOptions": ["link": "https://app.example/link"],
            ])
        let expected: JSONValue = [
            "web_push": 8030,
            "notification": [
                "title": "Web", "body": "Text", "navigate": "https://app.example/link",
                "image": "https://a.example/1.png", "icon": "/i.png", "tag": "t", "actions": [["action": "ok"]],
                "data": ["for": "web"],
            ],
            "message_id": "m1",
        ]
        #expect(try json(message, navigation: template) == expected)
    }

    @Test("A notification's own URL and data win, and the message's data is added to an object")
    func ownMembers() throws {
        var message = Message(
            notification: Message.Notification(title: "t"), data: ["a": "1", "b": "2"],
            webpush: ["notification": ["navigate": "https://app.example/own", "data": ["b": 3]]])
        var notification = try json(message, navigation: template)["notification"]
        #expect(notification?["navigate"] == "https://app.example/own")
        #expect(notification?["data"] == ["a": "1", "b": 3])
        message.webpush = ["notification": ["data": "text"]]
        notification = try json(message, navigation: template)["notification"]
        #expect(notification?["data"] == "text")
    }

    @Test("Without a URL to open, a notification is not marked as declarative")
    func withoutURL() throws {
        let expected: JSONValue = ["notification": ["title": "t", "body": "b"], "message_id": "m1"]
        #expect(try json(Message(notification: Message.Notification(title: "t", body: "b"))) == expected)
    }

    @Test("A notification without a title has its body as the title, and an alert of Apple's is read in both forms")
    func titles() throws {
        func notification(_ message: Message) throws -> JSONValue? { try json(message)["notification"] }
        #expect(try notification(Message(notification: Message.Notification(body: "b"))) == ["title": "b"])
        let text = Message(apns: Message.APNsConfiguration(payload: ["aps": ["alert": "b"]]))
        #expect(try notification(text) == ["title": "b"])
        let parts = Message(apns: Message.APNsConfiguration(payload: ["aps": ["alert": ["title": "t", "body": "b"]]]))
        #expect(try notification(parts) == ["title": "t", "body": "b"])
    }

    @Test("A message that shows nothing has its data alone, in both forms")
    func dataOnly() throws {
        let message = Message(data: ["b": "2", "a": "1"])
        #expect(try text(message) == #"{"data":{"a":"1","b":"2"},"message_id":"m1"}"#)
        #expect(try text(message, .data) == #"{"data":{"a":"1","b":"2"},"message_id":"m1"}"#)
    }

    @Test("The form of data leaves out the notification and the badge")
    func dataForm() throws {
        let message = Message(
            notification: Message.Notification(title: "t"), data: ["a": "1"],
            apns: Message.APNsConfiguration(payload: ["aps": ["badge": 1]]))
        #expect(try text(message, .data) == #"{"data":{"a":"1"},"message_id":"m1"}"#)
    }

    @Test("A long body is cut to the limit, between characters")
    func longBody() throws {
        for body in [String(repeating: "a", count: 5_000), String(repeating: "👩‍👩‍👧\n", count: 400)] {
            let message = Message(notification: Message.Notification(title: "t", body: body), data: ["a": "b"])
            let payload = try #require(WebPushPayload(of: outgoing(message), .declarative, navigation: template))
            #expect((3_950...3_993).contains(payload.bytes.count))
            let text = try #require(try JSONValue(parsing: payload.bytes)["notification"]?["body"]?.string)
            #expect(text.hasSuffix("…") && body.hasPrefix(text.dropLast()))
        }
    }

    @Test("A payload that just fits is not changed, and the id is left out before the message is refused")
    func limits() throws {
        func payload(_ count: Int) -> WebPushPayload? {
            let message = Message(data: ["a": String(repeating: "x", count: count)])
            return WebPushPayload(of: outgoing(message), .declarative, navigation: nil)
        }
        let overhead = #"{"data":{"a":""},"message_id":"m1"}"#.utf8.count
        let overheadWithoutID = #"{"data":{"a":""}}"#.utf8.count
        #expect(payload(3_993 - overhead)?.bytes.count == 3_993)
        #expect(payload(3_993 - overhead + 1)?.bytes.count == 3_993 - overhead + 1 + overheadWithoutID)
        #expect(payload(3_993 - overheadWithoutID)?.bytes.count == 3_993)
        #expect(payload(3_993 - overheadWithoutID + 1) == nil)
    }

    @Test("A shorter limit cuts the body further")
    func shorterLimit() throws {
        let body = String(repeating: "a", count: 3_500)
        let message = Message(notification: Message.Notification(title: "t", body: body))
        let payload = try #require(
            WebPushPayload(of: outgoing(message), .declarative, navigation: nil, limit: 2_800))
        #expect(payload.bytes.count == 2_800)
    }
}

@Suite("Templates of URLs")
struct NavigationTemplateTests {
    @Test(
        "A template's names stand for values of the data, percent-encoded",
        arguments: [
            ("https://app.example/", "https://app.example/"), ("https://app.example", "https://app.example"),
            ("https://app.example/{a}/{b}", "https://app.example/1%2F2/x%26y"),
            ("https://app.example/#/chat/{a}?x={b}&z={none}", "https://app.example/#/chat/1%2F2?x=x%26y&z="),
        ])
    func urls(template: String, url: String) throws {
        #expect(try #require(NavigationTemplate(template)).url(for: ["a": "1/2", "b": "x&y"]) == url)
    }

    @Test(
        "A text that is no https URL, or whose names are not behind the host, is none",
        arguments: [
            "", "app.example", "http://app.example/", "javascript:alert(1)", "https://", "https://{host}/",
            "https://app.example{a}", "https://app.example/{", "https://app.example/{a", "https://app.example/}",
            "https://app.example/{}", "https://app.example/{{a}}", "https://app.example/ x",
            "https://user@app.example/", "{a}https://app.example/", "https://app.example/\"", "https://app.example/ä",
        ])
    func refused(template: String) {
        #expect(NavigationTemplate(template) == nil)
    }
}
