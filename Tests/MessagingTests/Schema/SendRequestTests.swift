import JSON
import Messaging
import TestDoubles
import Testing

@Suite("A request to send")
struct SendRequestTests {
    // MARK: Targets

    @Test("A request has one of four targets")
    func targets() throws {
        func target(_ message: JSONValue) throws -> SendRequest.Target {
            try SendRequest(json: ["message": message]).target
        }
        #expect(try target(["token": "a:b"]) == .token(RegistrationToken("a:b")))
        #expect(try target(["fid": "cYzq-1_0"]) == .fid("cYzq-1_0"))
        #expect(try target(["topic": "news"]) == .topic("news"))
        #expect(try target(["topic": "/topics/news"]) == .topic("news"))
        #expect(
            try target(["condition": "'a' in topics"]) == .condition(Condition(parsing: "'a' in topics")))
        #expect(try target(["token": nil, "topic": "news", "fid": nil]) == .topic("news"))
    }

    @Test("A request with validate_only set is only checked")
    func validateOnly() throws {
        let message: JSONValue = ["token": "t"]
        #expect(try SendRequest(json: ["message": message]).isValidateOnly == false)
        #expect(try SendRequest(json: ["message": message, "validate_only": false]).isValidateOnly == false)
        #expect(try SendRequest(json: ["message": message, "validate_only": nil]).isValidateOnly == false)
        #expect(try SendRequest(json: ["message": message, "validate_only": true]).isValidateOnly)
        #expect(try SendRequest(json: ["validateOnly": true, "message": message]).isValidateOnly)
    }

    @Test("A request is written in lowerCamelCase with its target and reads back the same")
    func json() throws {
        let request = try SendRequest(
            json: [
                "validate_only": true,
                "message": [
                    "name": "projects/p/messages/1", "topic": "/topics/news", "fcm_options": ["analytics_label": "l"],
                    "apns": ["live_activity_token": nil, "fcm_options": ["image": "https://example.com/i.png"]],
                ],
            ])
        #expect(
            request.json.text
                == #"{"message":{"apns":{"fcmOptions":{"image":"https://example.com/i.png"}},"#
                + #""fcmOptions":{"analyticsLabel":"l"},"topic":"news"},"validateOnly":true}"#)
        #expect(try SendRequest(json: request.json) == request)
    }

    // MARK: Values

    @Test("Null values in a request are removed at any depth")
    func null() throws {
        let message = try canonical([
            "notification": ["title": nil, "body": "b"], "android": ["notification": nil, "ttl": nil], "data": nil,
            "apns": nil,
        ])
        #expect(message == ["notification": ["body": "b"], "android": [:], "token": "t"])
    }

    @Test("Free-form values in a request stay unchanged")
    func freeForm() throws {
        let payload: JSONValue = [
            "aps": ["content-available": 1, "snake_case": nil], "list": [nil, 1.5, ["camelCase": [true]]],
        ]
        let message = try canonical([
            "apns": ["payload": payload, "headers": ["X-Unknown": "kept", "apns-priority": "5"]],
            "data": ["snake_case": "1", "camelCase": "2", "": ""],
            "webpush": ["notification": ["require_interaction": nil, "actions": []], "headers": ["TTL": "0"]],
        ])
        #expect(message["apns"]?["payload"] == payload)
        #expect(message["apns"]?["headers"] == ["X-Unknown": "kept", "apns-priority": "5"])
        #expect(message["data"] == ["snake_case": "1", "camelCase": "2", "": ""])
        #expect(message["webpush"]?["notification"] == ["require_interaction": nil, "actions": []])
    }

    @Test(
        "An enumeration is read by name or number and written by name",
        arguments: ["HIGH", "high", "High", 1, "1", 1.0] as [JSONValue])
    func enumerations(value: JSONValue) throws {
        #expect(try canonical(["android": ["priority": value]])["android"] == ["priority": "HIGH"])
    }

    @Test("An enumeration name with hyphens is read, as Google does")
    func hyphens() throws {
        let message = try canonical(["android": ["notification": ["proxy": "if-priority-lowered"]]])
        #expect(message["android"]?["notification"] == ["proxy": "IF_PRIORITY_LOWERED"])
    }

    @Test(
        "An integer is read from a number or a text",
        arguments: [
            (12, 12), ("12", 12), (12.0, 12), ("12.0", 12), (1e3, 1_000), ("-1e2", -100), (0, 0),
            (2_147_483_647, 2_147_483_647), ("-2147483648", -2_147_483_648),
        ] as [(JSONValue, Int64)])
    func integers(value: JSONValue, expected: Int64) throws {
        let message = try canonical(["android": ["notification": ["notification_count": value]]])
        #expect(message["android"]?["notification"]?["notificationCount"] == .integer(expected))
    }

    @Test(
        "A float is read from a number, a text or the name of a special value",
        arguments: [(0.25, 0.25), ("0.25", 0.25), (1, 1), ("NaN", "NaN"), ("-Infinity", "-Infinity")]
            as [(JSONValue, JSONValue)])
    func floats(value: JSONValue, expected: JSONValue) throws {
        let message = try canonical(["android": ["notification": ["lightSettings": ["color": ["alpha": value]]]]])
        #expect(message["android"]?["notification"]?["lightSettings"]?["color"]?["alpha"] == expected)
    }

    @Test(
        "A duration is read with any fraction",
        arguments: ["0s", "3s", "3.5s", "-0s", "3.000000001s", "2419200s", "00001s"])
    func durations(text: String) throws {
        #expect(try canonical(["android": ["ttl": .string(text)]])["android"]?["ttl"] == .string(text))
    }

    @Test(
        "A time is read in any zone",
        arguments: ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.123456789Z", "2026-01-02T03:04:05+02:00"])
    func timestamps(text: String) throws {
        let message = try canonical(["android": ["notification": ["event_time": .string(text)]]])
        #expect(message["android"]?["notification"]?["eventTime"] == .string(text))
    }

    // MARK: A real client

    /// `Golden/admin-python.json` is the request of firebase-admin 7.7.0 for Python for a message with all its
    /// options.
    @Test("A request of Firebase's Admin SDK for Python is read completely")
    func adminSDK() throws {
        let sent = try JSONValue(parsing: GoldenFile("admin-python.json").text)
        let request = try SendRequest(json: sent)
        #expect(request.target == .topic("news"))
        #expect(request.isValidateOnly)
        let message = request.json["message"]
        #expect(message?["apns"]?["payload"] == sent["message"]?["apns"]?["payload"])
        #expect(message?["webpush"]?["notification"] == sent["message"]?["webpush"]?["notification"])
        #expect(message?["android"]?["priority"] == "HIGH")
        let notification = message?["android"]?["notification"]
        #expect(notification?.object?.count == sent["message"]?["android"]?["notification"]?.object?.count)
        #expect(notification?["vibrateTimings"] == ["0.100000000s", "2.500000000s"])
        #expect(
            notification?["lightSettings"] == [
                "color": ["red": 0.2, "green": 0.4, "blue": 0.6, "alpha": 0.8],
                "lightOnDuration": "0.200000000s", "lightOffDuration": "1.300000000s",
            ])
        let labels = ["android", "apns"].map { message?[$0]?["fcmOptions"]?["analyticsLabel"]?.string }
        #expect(labels == ["droid", "apple"])
    }
}
