import JSON
import Testing

@testable import WebPushService

@Suite("Messages of autopush")
struct AutopushTests {
    @Test(
        "Each message of Firefox is read",
        arguments: [
            (
                #"{"messageType":"hello","broadcasts":{"x":"1"},"use_webpush":true,"uaid":"ab12"}"#,
                AutopushRequest.hello(userAgentID: "ab12")
            ),
            (#"{"messageType":"hello","use_webpush":true}"#, .hello(userAgentID: nil)),
            (#"{"messageType":"hello","uaid":""}"#, .hello(userAgentID: nil)),
            (
                #"{"channelID":"c1","messageType":"register","key":"BKey_-1="}"#,
                .register(channel: "c1", key: "BKey_-1")
            ),
            (#"{"channelID":"c1","messageType":"register"}"#, .register(channel: "c1", key: nil)),
            (#"{"channelID":"c1","messageType":"unregister","code":200}"#, .unregister(channel: "c1")),
            (
                #"{"messageType":"ack","updates":[{"channelID":"c1","version":"v1","code":100},{"version":"v2"},{}]}"#,
                .acknowledge([
                    AutopushAcknowledgment(version: "v1", code: 100), AutopushAcknowledgment(version: "v2", code: nil),
                ])
            ),
            (#"{"messageType":"nack","version":"v1","code":301}"#, .reject(version: "v1", code: 301)),
            (#"{"messageType":"nack","version":"v1"}"#, .reject(version: "v1", code: nil)),
            (#"{"messageType":"nack","code":301}"#, .other),
            ("{}", .ping("{}")), (#"{"messageType":"ping"}"#, .ping(#"{"messageType":"ping"}"#)),
            (#"{"messageType":"broadcast_subscribe","broadcasts":{}}"#, .other),
        ] as [(String, AutopushRequest)])
    func reading(text: String, request: AutopushRequest) throws {
        #expect(try AutopushRequest(text) == request)
    }

    @Test(
        "A text that is no message is refused",
        arguments: [
            "", "[]", "hello", #"{"type":"hello"}"#, #"{"messageType":"register"}"#,
            #"{"messageType":"unregister","channelID":""}"#,
        ])
    func malformed(text: String) {
        #expect(throws: AutopushError.malformed) { try AutopushRequest(text) }
    }

    @Test("Each answer has the members that Firefox reads")
    func answers() throws {
        let answers: [(AutopushAnswer, JSONValue)] = [
            (
                .hello(userAgentID: "ab12"),
                ["messageType": "hello", "uaid": "ab12", "status": 200, "use_webpush": true, "broadcasts": [:]]
            ),
            (
                .registered(channel: "c1", endpoint: "https://example.net/wpush/v2/t"),
                [
                    "messageType": "register", "channelID": "c1", "status": 200,
                    "pushEndpoint": "https://example.net/wpush/v2/t",
                ]
            ),
            (
                .notRegistered(channel: "c1", status: 400),
                ["messageType": "register", "channelID": "c1", "status": 400]
            ),
            (.unregistered(channel: "c1"), ["messageType": "unregister", "channelID": "c1", "status": 200]),
            (
                .notification(
                    AutopushNotification(channel: "c1", version: "v1", encoding: "aes128gcm", body: [0xFB, 0xFF])),
                [
                    "messageType": "notification", "channelID": "c1", "version": "v1", "data": "-_8",
                    "headers": ["encoding": "aes128gcm"],
                ]
            ),
            (
                .notification(AutopushNotification(channel: "c1", version: "v2", encoding: nil, body: [])),
                ["messageType": "notification", "channelID": "c1", "version": "v2"]
            ),
        ]
        for (answer, json) in answers { #expect(try JSONValue(parsing: answer.text) == json) }
    }
}
