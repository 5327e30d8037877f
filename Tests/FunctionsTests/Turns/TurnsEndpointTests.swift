import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import Testing

@Suite("Turns: requests", .timeLimit(.minutes(10)))
struct TurnsEndpointTests {
    private static let key = "0123456789abcdef01234567"

    private static func error(
        _ status: HTTPResponse.Status, _ message: String, _ fields: HTTPFields = [:]
    ) -> FunctionResponse {
        FunctionResponse(status: status, headerFields: fields, content: .text(message + "\n"))
    }

    private static let paths: [(HTTPRequest.Method, String)] = [
        (.post, "/register"), (.get, "/check/7"), (.get, "/diagnostics/7"), (.get, "/users-by-token/t"),
        (.delete, "/check/7"), (.get, "/register/else"),
    ]

    @Test("A request to turns without the configured key is refused before its path and body are checked")
    func authorization() async throws {
        let bench = try TurnsBench { $0.apiKeys = [Self.key] }
        for (number, (method, path)) in Self.paths.enumerated() {
            for (value, message) in [
                ("", "API key required"), ("  ", "API key required"), ("stranger", "Invalid API key"),
                (Self.key + "x", "Invalid API key"),
            ] {
                let fields: HTTPFields = [try #require(HTTPField.Name("x-api-key")): value]
                let answer = try await bench.bench.call(
                    method, path, text: "{", headers: fields, address: "198.51.100.\(number)")
                #expect(answer == Self.error(.unauthorized, message), "\(path) \(value)")
            }
        }
        let fields: HTTPFields = [try #require(HTTPField.Name("X-API-Key")): Self.key]
        let answer = try await bench.get("/check/7", headers: fields)
        #expect(answer.status == .ok)
    }

    @Test("Pages of other sites are refused by turns without a key and accepted with one")
    func foreignOrigin() async throws {
        let bench = try TurnsBench()
        for (method, path) in Self.paths {
            let answer = try await bench.bench.call(method, path, text: "{", originRefusal: "not for pages")
            #expect(answer == Self.error(.forbidden, "not for pages"), "\(path)")
        }
        let locked = try TurnsBench { $0.apiKeys = [Self.key] }
        let fields: HTTPFields = [try #require(HTTPField.Name("X-API-Key")): Self.key]
        let answer = try await locked.bench.call(.get, "/check/7", headers: fields, originRefusal: "not for pages")
        #expect(answer.status == .ok)
    }

    @Test("An address with ten wrong keys is blocked until the window ends, if turns have keys")
    func failures() async throws {
        let header = try #require(HTTPField.Name("X-API-Key"))
        let bench = try TurnsBench { $0.apiKeys = [Self.key] }
        func check(_ key: String, from address: String) async throws -> FunctionResponse {
            try await bench.bench.call(.get, "/check/7", headers: [header: key], address: address)
        }
        for _ in 0..<10 { #expect(try await check("wrong", from: "192.0.2.1").status == .unauthorized) }
        let limited = Self.error(.tooManyRequests, "Too many failed attempts, try again later", [.retryAfter: "300"])
        #expect(try await check("wrong", from: "192.0.2.1") == limited)
        #expect(try await check(Self.key, from: "192.0.2.1") == limited)
        #expect(try await check(Self.key, from: "192.0.2.2").status == .ok)
        let open = try TurnsBench()
        for _ in 0..<20 { #expect(try await open.get("/check/7", headers: [header: "wrong"]).status == .ok) }
    }

    @Test("A new registration replaces a player's device, and a device may belong to many players")
    func registration() async throws {
        let bench = try TurnsBench()
        for (player, token) in [("7", "old"), ("007", "token-1"), (" 12 ", "token-1"), ("3", "token-1")] {
            let answer = try await bench.register(player, token: token)
            #expect(answer == .json(.ok, ["status": "registered"]))
        }
        let users = try await bench.get("/users-by-token/token-1")
        #expect(users == .json(.ok, ["device_token": "token-1", "user_ids": ["3", "7", "12"]]))
        let nobody = try await bench.get("/users-by-token/old%2Fer")
        #expect(nobody == .json(.ok, ["device_token": "old/er", "user_ids": []]))
        let devices = try await bench.bench.documents(in: "turnDevices")
        #expect(Set(devices.map(\.path.id)) == ["3", "7", "12"])
    }

    @Test(
        "An invalid registration of a player is answered with its reason",
        arguments: [
            ("", "Invalid JSON"), ("[]", "Invalid JSON"), ("{", "Invalid JSON"),
            (#"{"user_id":7,"device_token":"t"}"#, "Invalid JSON"),
            (#"{"user_id":"7","device_token":[]}"#, "Invalid JSON"),
            (String(repeating: "[", count: 5_000), "Invalid JSON"),
            ("{}", "user_id and device_token are required"),
            (#"{"user_id":"7"}"#, "user_id and device_token are required"),
            (#"{"user_id":"7","device_token":null}"#, "user_id and device_token are required"),
            (#"{"user_id":"","device_token":"t"}"#, "user_id and device_token are required"),
            (#"{"user_id":"7","device_token":" "}"#, "user_id and device_token are required"),
            (#"{"user_id":"me","device_token":"t"}"#, "Invalid user ID"),
            (#"{"user_id":"-7","device_token":"t"}"#, "Invalid user ID"),
            (#"{"user_id":"7","device_token":"\#(String(repeating: "a", count: 4_097))"}"#, "Device token is too long"),
        ])
    func badRegistrations(body: String, message: String) async throws {
        let bench = try TurnsBench()
        let answer = try await bench.bench.call(.post, "/register", text: body)
        #expect(answer == Self.error(.badRequest, message))
        let devices = try await bench.bench.documents(in: "turnDevices")
        #expect(devices.isEmpty)
    }

    @Test("A body that is too large is refused by turns")
    func largeBody() async throws {
        let bench = try TurnsBench()
        let answer = try await bench.bench.call(.post, "/register", text: String(repeating: "a", count: 65_537))
        #expect(answer == Self.error(.contentTooLarge, "The body is larger than 65536 bytes"))
    }

    @Test("An address may register a limited number of new players per hour, and known ones without limit")
    func limit() async throws {
        let bench = try TurnsBench { $0.newPlayersPerHourPerAddress = 2 }
        for player in ["7", "8"] { #expect(try await bench.register(player).status == .ok) }
        let refused = try await bench.register("9")
        #expect(
            refused
                == Self.error(.tooManyRequests, "Too many registrations, try again later", [.retryAfter: "3600"]))
        for token in ["other", "another"] { #expect(try await bench.register("007", token: token).status == .ok) }
        #expect(try await bench.register("10", address: "192.0.2.2").status == .ok)
        let devices = try await bench.bench.documents(in: "turnDevices").map(\.path.id)
        #expect(Set(devices) == ["7", "8", "10"])
        bench.clock.advance(by: .seconds(3_600))
        #expect(try await bench.register("9").status == .ok)
    }

    @Test(
        "A path with an invalid player id is a bad request and does not ask the site",
        arguments: ["", "/", "/0", "/-1", "/%2B7", "/1.5", "/7a", "/%20", "/%00", "/9223372036854775808", "/٧"])
    func userIDs(path: String) async throws {
        let bench = try TurnsBench()
        for prefix in ["/check", "/diagnostics"] {
            let answer = try await bench.get(prefix + path)
            #expect(answer == Self.error(.badRequest, "Invalid user ID"))
        }
        #expect(bench.site.asked.isEmpty)
    }

    @Test("A path without a device token is a bad request", arguments: ["", "/", "/%20"])
    func tokens(path: String) async throws {
        let bench = try TurnsBench()
        let answer = try await bench.get("/users-by-token" + path)
        #expect(answer == Self.error(.badRequest, "Device token is required"))
    }

    @Test("Other paths are not found, in the plain text of turns")
    func fallback() async throws {
        let bench = try TurnsBench()
        for (method, path) in [
            (HTTPRequest.Method.post, "/register/7"), (.get, "/check/7/x"), (.put, "/diagnostics/7/x"),
            (.delete, "/users-by-token/t/u"),
        ] {
            let answer = try await bench.bench.call(method, path)
            #expect(answer == Self.error(.notFound, "Not found"))
        }
    }

    @Test("Other methods are answered with 405 and the allowed one, in the plain text of turns")
    func methods() async throws {
        let bench = try TurnsBench()
        for (method, path, allowed) in [
            (HTTPRequest.Method.get, "/register", "POST"), (.head, "/register", "POST"), (.put, "/register", "POST"),
            (.options, "/register", "POST"), (.post, "/check/7", "GET"), (.delete, "/check", "GET"),
            (.put, "/diagnostics/7", "GET"), (.delete, "/users-by-token/t", "GET"), (.patch, "/check/7", "GET"),
        ] {
            let answer = try await bench.bench.call(method, path)
            #expect(answer == Self.error(.methodNotAllowed, "Method Not Allowed", [.allow: allowed]))
        }
        #expect(bench.site.asked.isEmpty)
    }

    @Test(
        "The names of a registration's members are in any letter case, and of several the last one counts",
        arguments: [
            #"{"USER_ID":"7","Device_Token":"token-1"}"#, #"{"User_Id":"7","device_token":"token-1"}"#,
            #"{"user_id":"8","USER_ID":"7","device_token":"token-1"}"#,
            #"{"USER_ID":"8","user_id":"7","device_token":"token-1"}"#,
            #"{"user_id":"7","USER_ID":null,"device_token":"token-1"}"#,
        ])
    func names(body: String) async throws {
        let bench = try TurnsBench()
        let answer = try await bench.bench.call(.post, "/register", text: body)
        #expect(answer == .json(.ok, ["status": "registered"]))
        let users = try await bench.get("/users-by-token/token-1")
        #expect(users == .json(.ok, ["device_token": "token-1", "user_ids": ["7"]]))
        let devices = try await bench.bench.documents(in: "turnDevices")
        #expect(devices.count == 1)
    }

    @Test("A check notifies a registered player of new turns once, and lists them as new once")
    func checkNotifies() async throws {
        let bench = try TurnsBench()
        let games = [
            ScriptedSite.game(1, "one", turnOf: 7, lastMove: 100), ScriptedSite.game(2, turnOf: 8, lastMove: 300),
        ]
        bench.site.play(games)
        try await bench.register()
        let first = try await bench.get("/check/7")
        #expect(first == .json(.ok, ["not_your_turn": [2], "your_turn_new": [1], "your_turn_old": []]))
        let second = try await bench.get("/check/7")
        #expect(second == .json(.ok, ["not_your_turn": [2], "your_turn_new": [], "your_turn_old": [1]]))
        let diagnostics = try await bench.get("/diagnostics/7").body
        #expect(
            diagnostics["last_notification_time"] == .integer(ManualClock.start.microseconds / 1_000))
        try await bench.bench.running {
            try await bench.untilSent(1)
            let count = bench.site.count(of: 7)
            try await bench.untilAsked(7, count + 2)
        }
        #expect(bench.sent.map(\.message.message.notification?.body) == ["It's your turn in: one"])
        #expect(bench.sent.map(\.token) == ["token-1"])
    }

    @Test("A check lists the games by turn and by earlier notification, and tells players without a device nothing")
    func check() async throws {
        let bench = try TurnsBench()
        let games = [
            ScriptedSite.game(1, turnOf: 7, lastMove: 100), ScriptedSite.game(2, turnOf: 8, lastMove: 300),
            ScriptedSite.game(3, turnOf: 7, lastMove: 200),
        ]
        bench.site.play(games)
        let expected = FunctionResponse.json(
            .ok, ["not_your_turn": [2], "your_turn_new": [1, 3], "your_turn_old": []])
        for _ in 0..<2 {
            let answer = try await bench.get("/check/7")
            #expect(answer == expected)
        }
        let none = try await bench.get("/check/8")
        #expect(none == .json(.ok, ["not_your_turn": [], "your_turn_new": [], "your_turn_old": []]))
        #expect(bench.site.urls.first == "https://online-go.com/api/v1/players/7/full")
        try await bench.bench.running {
            try await bench.register()
            try await bench.untilSent(1)
        }
        // The loop has stopped, so the check is the first to see the turn.
        bench.site.play(games + [ScriptedSite.game(4, turnOf: 7, lastMove: 50)])
        let new = try await bench.get("/check/7")
        #expect(new == .json(.ok, ["not_your_turn": [2], "your_turn_new": [4], "your_turn_old": [1, 3]]))
        let old = try await bench.get("/check/7")
        #expect(old == .json(.ok, ["not_your_turn": [2], "your_turn_new": [], "your_turn_old": [1, 3, 4]]))
        #expect(bench.sent.count == 1)
    }

    @Test("The diagnostics of an unregistered player have the games and no device")
    func diagnosticsOfStranger() async throws {
        let bench = try TurnsBench { $0.interval = .seconds(90) }
        bench.site.play([ScriptedSite.game(79_504_463, nil, turnOf: 8, lastMove: 1_758_474_319_701)])
        let answer = try await bench.get("/diagnostics/7")
        #expect(
            answer
                == .json(
                    .ok,
                    [
                        "user_id": "7", "device_token_registered": false, "last_notification_time": 0,
                        "monitored_games": [
                            [
                                "game_id": 79_504_463, "last_move_timestamp": 1_758_474_319_701, "current_player": 8,
                                "is_your_turn": false, "game_name": "",
                            ]
                        ],
                        "total_active_games": 1, "server_check_interval": "1m30s",
                        "last_server_check_time": .integer(ManualClock.start.seconds),
                    ]))
    }

    @Test("The diagnostics of a registered player have the times of the last notification and the last look")
    func diagnostics() async throws {
        let bench = try TurnsBench()
        let token = String(repeating: "808605752f2f8d4c", count: 10)
        bench.site.play([ScriptedSite.game(5, "mine", turnOf: 7, lastMove: 1_000)])
        try await bench.bench.running {
            try await bench.register(token: token)
            try await bench.untilSent(1)
            // Before the first look is finished, its time is the current one.
            try await eventually("the look is finished", advancing: bench.clock, by: .milliseconds(500)) {
                let body = try await bench.get("/diagnostics/7").body
                return try #require(body["last_server_check_time"]?.integer) < bench.clock.timestamp.seconds
            }
            let body = try await bench.get("/diagnostics/7").body
            #expect(body["device_token_registered"] == true)
            #expect(body["device_token_preview"] == "808605752f2f8d4c...")
            let notifiedAt = try #require(body["last_notification_time"]?.integer)
            let start = ManualClock.start.microseconds / 1_000
            #expect(notifiedAt >= start + 5_000 && notifiedAt <= bench.clock.timestamp.microseconds / 1_000)
            let lookedAt = try #require(body["last_server_check_time"]?.integer)
            #expect(lookedAt >= start / 1_000 + 5 && lookedAt <= bench.clock.timestamp.seconds)
            #expect(body["monitored_games"]?[0]?["is_your_turn"] == true && body["server_check_interval"] == "30s")
        }
        let short = try TurnsBench()
        try await short.register(token: "secret")
        let preview = try await short.get("/diagnostics/7").body["device_token_preview"]
        #expect(preview == "sec...")
    }

    @Test(
        "A failing site is answered by each endpoint with its own error",
        arguments: [
            .status(404), .status(500), .status(429), .status(302), .text("<html>"), .text("{}"),
            .failure(.unreachable), .failure(.timedOut),
        ] as [ScriptedSite.Answer])
    func siteFailures(answer: ScriptedSite.Answer) async throws {
        let bench = try TurnsBench()
        bench.site.answerEverybody(with: answer)
        let check = try await bench.get("/check/7")
        #expect(check == Self.error(.internalServerError, "Failed to fetch turn status"))
        let diagnostics = try await bench.get("/diagnostics/7")
        #expect(diagnostics == Self.error(.serviceUnavailable, "Failed to fetch user games", [.retryAfter: "5"]))
    }

    @Test("A check beyond the maximum of concurrent requests is answered with an error at once")
    func onDemandBudget() async throws {
        let bench = try TurnsBench { $0.requestsAtOnce = 2 }
        let gate = Gate()
        bench.site.answerEverybody(with: .held(gate))
        try await withThrowingTaskGroup(of: FunctionResponse.self) { group in
            for player in 1...2 { group.addTask { try await bench.get("/check/\(player)") } }
            try await eventually("two requests") { gate.waiting == 2 }
            let third = try await bench.get("/check/3")
            #expect(third == Self.error(.internalServerError, "Failed to fetch turn status"))
            gate.open()
            for try await answer in group { #expect(answer.status == .ok) }
        }
        let later = try await bench.get("/check/3")
        #expect(later.status == .ok && bench.site.asked.count == 3)
    }

    @Test("A full store is answered with 503 by turns, and any other store error with 500")
    func storeFailures() async throws {
        let bench = try TurnsBench()
        bench.bench.store.set { $0.beforeCommit = { _ throws(StoreError) in throw .diskFull } }
        let answer = try await bench.register()
        #expect(answer == Self.error(.serviceUnavailable, .noRoom, [.retryAfter: "5"]))
        bench.bench.store.set {
            $0.beforeQuery = { _ throws(StoreError) in throw StoreError(.internal, "broken") }
        }
        let broken = try await bench.get("/users-by-token/t")
        #expect(broken == Self.error(.internalServerError, "Internal server error"))
        #expect(bench.bench.log.lines.contains { $0.contains("unexpected error") })
    }
}
