import JSON
import Messaging
import Testing

/// Violations of the rules are in `Golden/invalid.json`.
@Suite("Valid requests to send")
struct MessageRulesTests {
    @Test("A request is valid up to every limit")
    func limits() throws {
        _ = try canonical(["data": ["k": .string(String(repeating: "v", count: 4_095))]])
        _ = try canonical(["apns": ["headers": ["apns-collapse-id": .string(String(repeating: "é", count: 32))]]])
        _ = try canonical(["fcmOptions": ["analyticsLabel": .string(String(repeating: "l", count: 50))]])
        _ = try SendRequest(
            json: ["message": ["topic": "t", "data": ["k": .string(String(repeating: "v", count: 2_047))]]])
    }

    @Test("An empty text is valid where protocol buffers treat it as absent")
    func emptyTexts() throws {
        let request = try SendRequest(
            json: [
                "message": [
                    "topic": "t", "fcmOptions": ["analyticsLabel": ""], "webpush": ["fcmOptions": ["link": ""]],
                    "android": ["notification": ["color": ""]], "apns": ["liveActivityToken": ""],
                ]
            ])
        #expect(request.message.apns?.liveActivityToken == nil)
    }

    @Test(
        "A request may have any of Apple's headers and others",
        arguments: [
            ["apns-priority": "1"], ["apns-priority": "5"], ["APNS-PRIORITY": "10"], ["apns-expiration": "0"],
            ["apns-expiration": "253402300799"], ["apns-topic": "com.example.App-2.voip"],
            ["apns-id": "123E4567-e89b-12d3-a456-426614174000"], ["x-own": "ä"], ["apns-new": ""],
        ] as [JSONObject])
    func headers(headers: JSONObject) throws {
        #expect(try canonical(["apns": ["headers": .object(headers)]])["apns"]?["headers"] == .object(headers))
    }

    @Test("A request to one registration may address a Live Activity")
    func liveActivity() throws {
        let request = try SendRequest(
            json: [
                "message": [
                    "fid": "f", "apns": ["live_activity_token": "A1", "headers": ["apns-push-type": "liveactivity"]],
                ]
            ])
        #expect(request.message.apns?.liveActivityToken == RegistrationToken("A1"))
    }
}
