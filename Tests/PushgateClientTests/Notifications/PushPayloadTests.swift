import Foundation
import PushgateClient
import Testing

@Suite("Payload of a notification")
struct PushPayloadTests {
    private static let json = """
        {"aps":{"alert":{"title":"website@build-server","body":"Done."},"sound":"default","content-available":1},
         "type":"reply_finished","server_key":"f295","agent_key":"a471","cwd":"/srv/größe","conversation_id":"c-42",
         "renderable_assistant_count":"3","assistant_message_cursor":"9007199254740993","cursor_version":"2",
         "completion_id":"run-7","gcm.message_id":"1"}
        """

    @Test("A payload gives every field with its type")
    func full() throws {
        let payload = PushPayload(json: Data(Self.json.utf8))
        guard case .replyFinished(let reply)? = payload else {
            Issue.record("the payload is no reply: \(String(describing: payload))")
            return
        }
        #expect(reply.serverKey == "f295")
        #expect(reply.agentKey == "a471")
        #expect(reply.cwd == "/srv/größe")
        #expect(reply.conversationID == "c-42")
        #expect(reply.renderableAssistantCount == 3)
        #expect(reply.assistantMessageCursor == 9_007_199_254_740_993)
        #expect(reply.cursorVersion == 2)
        #expect(reply.completionID == "run-7")
        #expect(reply.messageID == "1")
    }

    @Test("A payload is read from userInfo as from JSON")
    func userInfo() throws {
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(Self.json.utf8)) as? [String: Any])
        var userInfo: [AnyHashable: Any] = [7: "a key that is no string"]
        for (name, value) in object { userInfo[name] = value }
        let payload = try #require(PushPayload(userInfo: userInfo))
        #expect(payload == PushPayload(json: Data(Self.json.utf8)))
    }

    @Test("A payload needs only a server and a folder")
    func least() throws {
        let payload = PushPayload(userInfo: ["type": "reply_finished", "server_key": "f295", "cwd": "/srv"])
        guard case .replyFinished(let reply)? = payload else {
            Issue.record("the payload is no reply: \(String(describing: payload))")
            return
        }
        #expect(reply.agentKey == nil && reply.conversationID == nil && reply.completionID == nil)
        #expect(reply.renderableAssistantCount == nil && reply.assistantMessageCursor == nil)
    }

    @Test("A count that is no number is nil, and so is the cursor's version without a cursor")
    func numbers() throws {
        let payload = PushPayload(userInfo: [
            "type": "reply_finished", "server_key": "f295", "cwd": "/srv", "renderable_assistant_count": "three",
            "assistant_message_cursor": "", "cursor_version": "2",
        ])
        guard case .replyFinished(let reply)? = payload else {
            Issue.record("the payload is no reply: \(String(describing: payload))")
            return
        }
        #expect(reply.renderableAssistantCount == nil)
        #expect(reply.assistantMessageCursor == nil)
        #expect(reply.cursorVersion == nil)
    }

    @Test("A payload of an unknown type is reported with that type")
    func unknownType() {
        let payload = PushPayload(userInfo: ["type": "run_started", "server_key": "f295"])
        #expect(payload == .unknown(type: "run_started"))
    }

    @Test(
        "A payload of another sender, or without a required field, gives nil",
        arguments: [
            "{}", "[]", "7", "not JSON", "", #"{"aps":{}}"#, #"{"type":7}"#, #"{"type":""}"#,
            #"{"type":"reply_finished"}"#, #"{"type":"reply_finished","server_key":"f295"}"#,
            #"{"type":"reply_finished","cwd":"/srv"}"#, #"{"type":"reply_finished","server_key":"","cwd":"/srv"}"#,
            #"{"type":"reply_finished","server_key":"f295","cwd":7}"#,
        ])
    func others(json: String) {
        #expect(PushPayload(json: Data(json.utf8)) == nil)
    }
}
