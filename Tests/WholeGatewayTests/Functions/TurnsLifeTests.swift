import APNsSimulator
import Foundation
import GameSiteStandIn
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("Turns on a gateway", .timeLimit(.minutes(10)))
struct TurnsLifeTests {
    private static let key = "a-key-of-this-test-0001"

    private func settings(_ site: GameSiteStandIn, _ more: [String: String] = [:]) -> [String: String] {
        [
            "functions.turns.enabled": "true", "functions.turns.apiKeys": Self.key,
            "functions.turns.interval": "1s", "functions.turns.label": "dev", "functions.turns.site": site.url + "/",
        ].merging(more) { $1 }
    }

    private func call(
        _ gateway: RunningGateway, _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil
    ) async throws -> Answer {
        let fields: HTTPFields = [try #require(HTTPField.Name("X-API-Key")): Self.key]
        return try await gateway.caller.send(method, path, headerFields: fields, body: body?.serialized ?? [])
    }

    private func register(_ gateway: RunningGateway, _ player: Int64, _ token: String) async throws {
        let answer = try await call(
            gateway, .post, "/register", ["user_id": "\(player)", "device_token": .string(token)])
        #expect(answer.status == 200 && answer.text == #"{"status":"registered"}"#)
    }

    private func isRegistered(_ gateway: RunningGateway, _ player: Int64) async throws -> JSONValue? {
        try await call(gateway, .get, "/diagnostics/\(player)").body["device_token_registered"]
    }

    @Test("Turns work from registration to a second move across a restart, and remove a dead device")
    func life() async throws {
        let device = String.randomToken() + String.randomToken()
        let gone = String.randomToken()
        try await withGameSite { site in
            site.play([PlayedGame(11, "first game", turnOf: 7, lastMove: 1_758_474_319_701)], by: 7)
            site.play([PlayedGame(12, "lost game", turnOf: 8, lastMove: 1_758_474_319_701)], by: 8)
            try await withSimulator { apns in
                apns.simulator.script(
                    token: gone,
                    answers: [ScriptedAnswer(status: 410, reason: "Unregistered", timestamp: 4_000_000_000_000)])
                try await withDataDirectory { directory in
                    try await withGateway(settings(site), simulator: apns, in: directory) { gateway in
                        try await register(gateway, 7, device)
                        try await register(gateway, 8, gone)
                        let users = try await call(gateway, .get, "/users-by-token/\(device)")
                        #expect(users.body == ["device_token": .string(device), "user_ids": ["7"]])
                        try await eventually("the dead device is removed") {
                            try await isRegistered(gateway, 8) == false
                        }
                        try await eventually("the other device is notified") {
                            apns.simulator.received().contains { $0.token == device }
                        }
                        let count = site.count(of: 7)
                        try await eventually("two more polls") { site.count(of: 7) >= count + 2 }
                        #expect(apns.simulator.received().count { $0.token == device } == 1)
                        expectNoSecrets(in: gateway.log, [device, gone, Self.key])
                    }
                    expectFirst(try #require(apns.simulator.received().first { $0.token == device }), site)
                    apns.simulator.reset()
                    site.forgetAsked()
                    // A process holds its data directory as long as it lives, so the second gateway gets a copy.
                    let restored = directory + "-restored"
                    try FileManager.default.copyItem(atPath: directory, toPath: restored)
                    try await withGateway(settings(site), simulator: apns, in: restored) { gateway in
                        try await eventually("the player is polled again") { site.count(of: 7) >= 2 }
                        let check = try await call(gateway, .get, "/check/7")
                        #expect(check.body == ["not_your_turn": [], "your_turn_new": [], "your_turn_old": [11]])
                        #expect(apns.simulator.received().isEmpty)
                        site.play(
                            [
                                PlayedGame(13, "new game", turnOf: 7, lastMove: 1_758_474_400_000),
                                PlayedGame(11, "first game", turnOf: 7, lastMove: 1_758_474_400_001),
                            ], by: 7)
                        try await eventually("both games are notified") { apns.simulator.received().count == 1 }
                        #expect(
                            apns.simulator.received().first?.payload?["aps"]?["alert"]?["body"]
                                == "[dev] It's your turn in 2 games")
                        #expect(!site.asked.contains { $0.player == 8 })
                        let body = try await call(gateway, .get, "/diagnostics/7").body
                        #expect(body["total_active_games"] == 2 && body["server_check_interval"] == "1s")
                        #expect((body["last_notification_time"]?.integer ?? 0) > 1_700_000_000_000)
                        #expect((body["last_server_check_time"]?.integer ?? 0) > 1_700_000_000)
                    }
                }
            }
        }
    }

    private func expectFirst(_ first: ReceivedNotification, _ site: GameSiteStandIn) {
        #expect(
            first.payloadWithoutID == [
                "aps": [
                    "alert": ["title": "Your turn in Go!", "body": "[dev] It's your turn in: first game"], "badge": 1,
                    "sound": "default",
                ],
                "web_url": "\(site.url)/game/11", "app_url": "ogs://game/11", "game_id": 11, "action": "open_game",
                "game_name": "first game",
            ])
        #expect(first.pushType == "alert" && first.priority == "10")
        #expect(first.header("apns-collapse-id") == "game_turn")
        #expect(first.header("apns-topic") == RunningSimulator.bundleID)
        #expect(site.asked.allSatisfy { $0.userAgent?.hasPrefix("pushgate/") == true })
    }

    private func expectNoSecrets(in log: CollectedLog, _ secrets: [String]) {
        let lines = log.lines.filter { line in secrets.contains { line.contains($0) } }
        #expect(lines == [])
    }

    @Test("A game site that answers Retry-After is not asked until then, and is asked again afterwards")
    func backoff() async throws {
        try await withGameSite { site in
            site.answerEverybody(with: SiteAnswer(status: 503, retryAfter: 600))
            try await withGateway(settings(site)) { gateway in
                try await register(gateway, 7, "emulated:phone")
                try await eventually("the log reports the pause for the site") {
                    gateway.log.lines.contains { $0.contains("paused requests to the game site") }
                }
                let check = try await call(gateway, .get, "/check/7")
                #expect(check.status == 500 && check.text == "Failed to fetch turn status\n")
                #expect(check.headerFields[.contentType]?.hasPrefix("text/plain") == true)
                #expect(site.asked.count == 1)
            }
            site.forgetAsked()
            site.answerEverybody(with: SiteAnswer(status: 503, retryAfter: 2))
            try await withGateway(settings(site)) { gateway in
                try await register(gateway, 7, "emulated:phone")
                try await eventually("the site is asked") { !site.asked.isEmpty }
                site.answerEverybody(with: nil)
                try await eventually("the log reports that the site answers again") {
                    gateway.log.lines.contains { $0.contains("resumed requests to the game site") }
                }
                let times = site.asked.map(\.at)
                #expect(times[1] - times[0] >= .seconds(2))
            }
        }
    }

    @Test("Turns do not follow a redirect of the game site, and fail at once if it is unreachable")
    func badSites() async throws {
        try await withGameSite { site in
            site.answer(about: 7, with: SiteAnswer(status: 302))
            try await withGateway(settings(site)) { gateway in
                let answer = try await call(gateway, .get, "/diagnostics/7")
                #expect(answer.status == 503 && answer.text == "Failed to fetch user games\n")
                #expect(site.asked.map(\.player) == [7])
            }
            try await withGateway(settings(site, ["functions.turns.site": "http://127.0.0.1:1"])) { gateway in
                let answer = try await call(gateway, .get, "/check/7")
                #expect(answer.status == 500)
                #expect(gateway.log.lines.contains { $0.contains("unreachable") || $0.contains("couldNotConnect") })
            }
        }
    }

    @Test("The paths of turns answer 404 unless turns are enabled")
    func off() async throws {
        try await withGateway { gateway in
            for (method, path) in [
                (HTTPRequest.Method.post, "/register"), (.get, "/check/7"), (.get, "/diagnostics/7"),
                (.get, "/users-by-token/t"),
            ] {
                let answer = try await call(gateway, method, path)
                #expect(answer.status == 404 && answer.body["error"]?["status"] == "NOT_FOUND")
            }
        }
    }

    @Test("Turns answer each of 2,000 bad requests in their own form")
    func badRequests() async throws {
        var generator = SeededGenerator(seed: 5)
        let bodies = [
            "", "{", "[]", "null", #"{"user_id":1}"#, #"{"user_id":"\u0000","device_token":"\u0000"}"#,
            #"{"user_id":"99999999999999999999","device_token":"t"}"#, String(repeating: "[", count: 2_000),
            String(repeating: "a", count: 70_000),
        ]
        let paths = [
            "/register", "/register/x", "/check/%00", "/check/-1", "/check/7/8", "/diagnostics/x", "/diagnostics/",
            "/users-by-token/", "/users-by-token/a/b",
        ]
        try await withGameSite { site in
            try await withGateway(settings(site)) { gateway in
                let name = try #require(HTTPField.Name("X-API-Key"))
                for _ in 0..<2_000 {
                    let path = paths.randomElement(using: &generator) ?? ""
                    let method = [HTTPRequest.Method.post, .get, .put].randomElement(using: &generator) ?? .post
                    let body = Array((bodies.randomElement(using: &generator) ?? "").utf8)
                    let key = Bool.random(using: &generator) ? Self.key : "stranger"
                    let answer = try await gateway.caller.send(method, path, headerFields: [name: key], body: body)
                    let isExpected =
                        key == Self.key ? (400...413).contains(answer.status) : [401, 429].contains(answer.status)
                    #expect(isExpected && answer.text.hasSuffix("\n"), "\(method) \(path)")
                    #expect(answer.headerFields[.contentType] == "text/plain; charset=utf-8")
                }
                try await register(gateway, 7, "emulated:phone")
                #expect(!gateway.log.lines.contains { $0.contains("unexpected error") })
                #expect(!site.asked.contains { $0.player != 7 })
            }
        }
    }
}
