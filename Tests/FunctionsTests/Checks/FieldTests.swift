import DocumentStore
import Functions
import HTTPTypes
import JSON
import TestDoubles
import Testing

@Suite("Fields of a request body")
struct FieldTests {
    private static let limits: [(function: String, field: String, limit: Int)] = [
        ("registerSubscription", "cwd", 2_048), ("registerSubscription", "installation_id", 128),
        ("registerSubscription", "fcm_token", 4_096), ("registerSubscription", "agent_display_name", 120),
        ("registerSubscription", "platform", 32), ("registerSubscription", "app_version", 64),
        ("registerSubscription", "appVersion", 64), ("registerSubscription", "bundle_id", 155),
        ("registerSubscription", "bundleId", 155), ("unregisterSubscription", "cwd", 2_048),
        ("unregisterSubscription", "installation_id", 128), ("triggerReplyFinished", "cwd", 2_048),
        ("triggerReplyFinished", "conversation_id", 256), ("triggerReplyFinished", "completion_id", 128),
        ("triggerReplyFinished", "exclude_installation_id", 128), ("triggerReplyFinished", "exclude_fcm_token", 4_096),
        ("updateReply", "cwd", 2_048), ("updateReply", "conversation_id", 256), ("updateReply", "step", 60),
        ("updateReply", "text", 120),
    ]

    private static let base: JSONObject = ["cwd": "/a", "installation_id": "i", "fcm_token": "t"]

    private func answer(_ bench: Bench, _ function: String, _ field: String, _ value: JSONValue) async throws
        -> FunctionResponse
    {
        var body = Self.base
        body[field] = value
        return try await bench.call(function, Call(.object(body)))
    }

    @Test("A field may have as many UTF-16 units as its limit, not counting surrounding white space")
    func limits() async throws {
        let bench = try Bench {
            $0.requestsPerMinutePerSecret = 0; $0.requestsPerMinutePerAddress = 0
        }
        try await bench.running {
            for (function, field, limit) in Self.limits {
                let tooLong = FunctionResponse.error(400, "\(field)_too_long")
                let cases: [(String, Bool)] = [
                    (String(repeating: "x", count: limit), true),
                    (String(repeating: "x", count: limit + 1), false),
                    (" \n\t" + String(repeating: "x", count: limit) + "  ", true),
                    (String(repeating: "é", count: limit), true),
                    // Two units and one character.
                    (String(repeating: "😀", count: limit / 2), true),
                    (String(repeating: "😀", count: limit / 2) + "xx", false),
                    // Two units and one character: a Windows line end in the middle.
                    ("x" + String(repeating: "\r\n", count: (limit - 1) / 2) + "xx", false),
                ]
                for (text, isAllowed) in cases {
                    let answer = try await answer(bench, function, field, .string(text))
                    #expect(
                        isAllowed ? answer.status == .ok : answer.withoutMessage == tooLong,
                        "\(function) \(field) \(text.prefix(3))")
                }
            }
        }
    }

    @Test("A required field that is missing, blank or not a string is a bad request")
    func required() async throws {
        let bench = try Bench {
            $0.requestsPerMinutePerSecret = 0; $0.requestsPerMinutePerAddress = 0
        }
        let values: [JSONValue?] = [
            nil, "", " ", "\n\t \u{A0}\u{2003}", nil as JSONValue, 0, 1, 1.5, true, [], ["a"], [:],
        ]
        let required = [
            ("registerSubscription", ["cwd", "installation_id", "fcm_token"]),
            ("unregisterSubscription", ["installation_id"]), ("triggerReplyFinished", ["cwd"]),
            ("updateReply", ["cwd"]),
        ]
        for (function, fields) in required {
            for field in fields {
                for value in values {
                    var body = Self.base
                    body[field] = value
                    let answer = try await bench.call(function, Call(.object(body)))
                    #expect(answer.withoutMessage == .badRequest, "\(function) \(field) \(value as Any)")
                }
            }
        }
        #expect(try await bench.documents().isEmpty)
    }

    @Test("A field that is too long is reported before a missing one")
    func order() async throws {
        let bench = try Bench()
        for field in ["platform", "agent_display_name", "fcm_token"] {
            let call = Call(.object([field: .string(String(repeating: "x", count: 5_000))]))
            #expect(try await bench.register(call).withoutMessage == .error(400, "\(field)_too_long"))
        }
        let trigger = Call(["completion_id": .string(String(repeating: "x", count: 129))])
        #expect(try await bench.trigger(trigger).withoutMessage == .error(400, "completion_id_too_long"))
    }

    @Test(
        "The first of several fields that are too long, in the contract's order, is reported",
        arguments: [
            (
                "registerSubscription",
                ["cwd", "installation_id", "fcm_token", "agent_display_name", "platform", "app_version"]
            ),
            (
                "triggerReplyFinished",
                ["cwd", "conversation_id", "exclude_installation_id", "exclude_fcm_token", "completion_id"]
            ),
            ("unregisterSubscription", ["installation_id", "cwd"]),
            ("updateReply", ["cwd", "conversation_id", "step", "text"]),
        ])
    func severalTooLong(function: String, order: [String]) async throws {
        let bench = try Bench()
        let limits = Dictionary(
            uniqueKeysWithValues: Self.limits.filter { $0.function == function }.map { ($0.field, $0.limit) })
        for start in order.indices {
            var body = Self.base
            // The order of the members in the body makes no difference.
            for field in order[start...].reversed() {
                body[field] = .string(String(repeating: "x", count: try #require(limits[field]) + 1))
            }
            let answer = try await bench.call(function, Call(.object(body)))
            #expect(answer.withoutMessage == .error(400, "\(order[start])_too_long"))
        }
    }

    @Test("A line end U+0085 is part of a field's text")
    func nextLine() async throws {
        let bench = try Bench()
        var body = Self.base
        body["cwd"] = "\u{85}"
        #expect(try await bench.register(Call(.object(body))).status == .ok)
        let agents = try await bench.documents().filter { $0.key.contains("/agents/") && !$0.key.contains("/devices/") }
        #expect(agents.map { $0.value["cwd"]?.string } == ["\u{85}"])
    }

    @Test("An optional field that is blank or not a string counts as absent")
    func optional() async throws {
        let bench = try Bench()
        for value in ["", "  ", 5, true, nil, ["x"]] as [JSONValue] {
            var body = Self.base
            for field in ["agent_display_name", "platform", "app_version", "bundle_id", "apns_environment"] {
                body[field] = value
            }
            body["cwd"] = "/srv/app"
            body["installation_id"] = "phone"
            #expect(try await bench.register(Call(.object(body))).status == .ok)
            #expect(try await bench.document(Bench.agent) == ["cwd": "/srv/app", "updatedAt": bench.now])
            #expect(
                try await bench.document(Bench.device("phone"))
                    == ["fcmToken": "t", "transport": "fcm", "platform": "ios", "updatedAt": bench.now])
        }
    }
}
