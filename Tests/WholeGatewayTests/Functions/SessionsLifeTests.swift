import APNsSimulator
import Foundation
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("Coding sessions on a gateway", .timeLimit(.minutes(10)))
struct SessionsLifeTests {
    private static let masterKey = "a-master-key-of-this-test"
    private static let readKey = "claud_00000000000000000000000000000000"
    private static let writeKey = "claud_11111111111111111111111111111111"
    private static let settings = [
        "functions.sessions.enabled": "true", "functions.sessions.masterKey": masterKey,
        "functions.sessions.readKeys": readKey, "functions.sessions.writeKeys": writeKey,
        "functions.sessions.coolDown": "1h",
    ]

    private func post(
        _ gateway: RunningGateway, _ path: String, _ body: JSONValue, headers: HTTPFields = [:]
    ) async throws -> Answer {
        var headers = headers
        headers[.authorization] = "Bearer \(Self.writeKey)"
        return try await gateway.caller.send(
            .post, "/api/v1/\(path)", headerFields: headers, body: body.serialized)
    }

    private func get(_ gateway: RunningGateway, _ path: String) async throws -> JSONValue {
        let answer = try await gateway.caller.send(
            .get, "/api/v1/\(path)", headerFields: [.authorization: "Bearer \(Self.readKey)"])
        #expect(answer.status == 200)
        return answer.body
    }

    private func report(
        _ gateway: RunningGateway, _ name: String, _ more: JSONObject = [:]
    ) async throws -> Answer {
        var event: JSONObject = ["session_id": "session-1", "hook_event_name": .string(name)]
        for (name, value) in more.members { event[name] = value }
        return try await post(
            gateway, "events",
            [
                "device": ["device_id": "device-1", "device_name": "shahads-macbook", "platform": "darwin"],
                "event": .object(event), "timestamp": "2026-01-01T00:00:00Z",
            ])
    }

    private func hook(_ gateway: RunningGateway, _ event: JSONValue) async throws -> Answer {
        var headers: HTTPFields = [:]
        for (name, value) in [("Device-Id", "device-1"), ("Device-Name", "shahads-macbook"), ("Platform", "darwin")] {
            headers[try #require(HTTPField.Name("X-Claudiator-" + name))] = value
        }
        return try await post(gateway, "hooks/http", event, headers: headers)
    }

    private func register(_ gateway: RunningGateway, _ token: String, sandbox: JSONValue) async throws {
        let answer = try await post(
            gateway, "push/register", ["platform": "ios", "push_token": .string(token), "sandbox": sandbox])
        #expect(answer.status == 200 && answer.body == ["status": "ok"])
    }

    private func phones(_ gateway: RunningGateway) async throws -> [JSONValue] {
        try await gateway.ask("/v1/projects/pushgate/databases/(default)/documents/sessionPhones").body["documents"]?
            .array ?? []
    }

    @Test("Coding sessions work from registration to acknowledgement across a restart, and remove a dead device")
    func life() async throws {
        let (device, trial, gone) = (String.randomToken(), String.randomToken(), String.randomToken())
        try await withSimulator { apns in
            apns.simulator.script(
                token: gone,
                answers: [ScriptedAnswer(status: 410, reason: "Unregistered", timestamp: 4_000_000_000_000)])
            try await withDataDirectory { directory in
                try await withGateway(Self.settings, simulator: apns, in: directory) { gateway in
                    try await register(gateway, device, sandbox: false)
                    try await register(gateway, trial, sandbox: true)
                    try await register(gateway, gone, sandbox: nil)
                    let environments = try await phones(gateway).map {
                        $0["fields"]?["apnsEnvironment"]?["stringValue"]?.string ?? ""
                    }
                    #expect(environments.sorted() == ["production", "production", "sandbox"])
                    for answer in [
                        try await report(gateway, "UserPromptSubmit", ["prompt": "Fix the login bug"]),
                        try await report(gateway, "Stop", ["message": "All tests pass"]),
                        try await report(gateway, "Stop"),
                    ] {
                        #expect(answer.status == 200 && answer.body == ["status": "ok"])
                    }
                    try await eventually("the dead device is removed") { try await phones(gateway).count == 2 }
                    try await eventually("all three devices are sent to") { apns.simulator.received().count == 3 }
                    let kept = try #require(try await get(gateway, "notifications")["notifications"]?.array)
                    #expect(kept.map { $0["notification_type"] } == ["stop"])
                    try check(apns.simulator.received().filter { $0.token != gone }, kept[0])
                }
                #expect(Set(apns.simulator.received().map(\.token)) == [device, trial, gone])
                apns.simulator.reset()
                // A process holds its data directory as long as it lives, so the second gateway gets a copy.
                let restored = directory + "-restored"
                try FileManager.default.copyItem(atPath: directory, toPath: restored)
                try await withGateway(Self.settings, simulator: apns, in: restored) { gateway in
                    try await afterRestart(gateway)
                    try await eventually("both devices are sent to") { apns.simulator.received().count == 2 }
                }
            }
            #expect(Set(apns.simulator.received().map(\.token)) == [device, trial])
            let bodies = apns.simulator.received().map { $0.payload?["aps"]?["alert"]?["body"] }
            #expect(bodies == Array(repeating: "Permission required: Bash — rm -r", count: 2))
        }
    }

    private func check(_ received: [ReceivedNotification], _ kept: JSONValue) throws {
        #expect(received.count == 2)
        for notification in received {
            #expect(
                notification.payloadWithoutID == [
                    "aps": [
                        "alert": ["title": "Fix the login bug", "body": "Session stopped: All tests pass"],
                        "sound": "default", "content-available": 1,
                    ],
                    "notification_id": kept["id"] ?? .null, "session_id": "session-1", "device_id": "device-1",
                    "event_type": "Stop", "device_name": "shahads-macbook",
                ])
            #expect(
                notification.pushType == "alert" && notification.priority == "10"
                    && notification.collapseID == "session-1" && notification.topic == RunningSimulator.bundleID)
        }
    }

    /// Checks that the cool-down still applies, that stored data is there, and that new events are sent.
    private func afterRestart(_ gateway: RunningGateway) async throws {
        #expect(try await report(gateway, "Stop").status == 200)
        let asked = try await hook(
            gateway,
            [
                "session_id": "session-1", "hook_event_name": "PermissionRequest", "tool_name": "Bash",
                "message": "rm -r", "permission_mode": "default",
            ])
        #expect(asked.status == 200 && asked.body == ["status": "ok"])
        let kept = try #require(try await get(gateway, "notifications")["notifications"]?.array)
        #expect(kept.map { $0["notification_type"] } == ["stop", "permission_prompt"])
        let ids = kept.compactMap { $0["id"] }
        #expect(try await post(gateway, "notifications/ack", ["notification_ids": .array(ids)]).status == 200)
        let after = try #require(kept.first?["created_at"]?.string)
        let rest = try await get(gateway, "notifications?limit=10&after=\(after)")["notifications"]?.array ?? []
        #expect(rest.map { $0["id"] } == ids.dropFirst().map(\.self) && rest.first?["acknowledged"] == true)
        let events = try await get(gateway, "sessions/session-1/events")["events"]?.array ?? []
        let names = events.map { $0["hook_event_name"] }
        #expect(names == ["PermissionRequest", "Stop", "Stop", "Stop", "UserPromptSubmit"])
        #expect(try await get(gateway, "devices/device-1/sessions")["sessions"]?.array?.count == 1)
        let ping = try await get(gateway, "ping")
        #expect(ping["data_version"] == 5 && ping["notification_version"] == 2 && ping["server_version"] == "0.1.0")
    }

    @Test("A sandbox token goes to the sandbox host, and other tokens to the production host")
    func environments() async throws {
        let (device, trial) = (String.randomToken(), String.randomToken())
        try await withSimulator { production in
            try await withSimulator { sandbox in
                try await withTemporaryDirectory { directory in
                    let authorities = try [production, sandbox]
                        .map { try String(contentsOfFile: $0.addresses.certificateAuthorityPath, encoding: .utf8) }
                    try authorities.joined().write(toFile: directory + "/ca.pem", atomically: true, encoding: .utf8)
                    let apps: JSONValue = [
                        "apns": ["caFile": .string(directory + "/ca.pem")],
                        "apps": [app(production, "production"), app(sandbox, "sandbox")],
                    ]
                    // Every JSON text is YAML too.
                    try apps.text.write(toFile: directory + "/pushgate.yaml", atomically: true, encoding: .utf8)
                    try await withGateway(Self.settings, file: directory + "/pushgate.yaml") { gateway in
                        try await register(gateway, device, sandbox: false)
                        try await register(gateway, trial, sandbox: true)
                        _ = try await report(gateway, "Stop")
                        try await eventually("both devices are sent to") {
                            production.simulator.received().count + sandbox.simulator.received().count == 2
                        }
                    }
                }
                #expect(production.simulator.received().map(\.token) == [device])
                #expect(sandbox.simulator.received().map(\.token) == [trial])
            }
        }
    }

    private func app(_ apns: RunningSimulator, _ environment: String) -> JSONValue {
        [
            "bundleId": .string(RunningSimulator.bundleID), "environment": .string(environment),
            "endpoint": .string(apns.addresses.apns), "keyPath": .string(apns.addresses.providerKeyPath ?? ""),
            "keyId": .string(apns.addresses.providerKeyID ?? ""),
            "teamId": .string(apns.addresses.providerTeamID ?? ""),
        ]
    }

    @Test("Coding sessions answer 100 events while the push service hangs")
    func hangingPushService() async throws {
        let device = String.randomToken()
        try await withSimulator { apns in
            apns.simulator.script(
                token: device, answers: [ScriptedAnswer(status: 200, count: nil, delay: .seconds(3_600))])
            try await withGateway(Self.settings, simulator: apns) { gateway in
                try await register(gateway, device, sandbox: false)
                for _ in 0..<100 { #expect(try await report(gateway, "PermissionRequest").status == 200) }
                let ping = try await get(gateway, "ping")
                #expect(ping["notification_version"] == 100)
            }
        }
    }

    @Test("Session keys are made for a local request only, and not through a proxy that forwards")
    func keys() async throws {
        try await withGateway(Self.settings) { gateway in
            let body: JSONValue = ["name": "a laptop", "scopes": ["read"]]
            let forwardedFor = try #require(HTTPField.Name("X-Forwarded-For"))
            let forwarded = try #require(HTTPField.Name("Forwarded"))
            for (headers, status) in [
                ([:], 201), ([.authorization: "Bearer \(Self.readKey)"], 403), ([forwardedFor: "192.0.2.1"], 403),
                ([forwarded: "for=127.0.0.1"], 403),
            ] as [(HTTPFields, Int)] {
                var fields: HTTPFields = [.authorization: "Bearer \(Self.masterKey)"]
                for field in headers { fields[field.name] = field.value }
                let answer = try await gateway.caller.send(
                    .post, "/admin/api-keys", headerFields: fields, body: body.serialized)
                #expect(answer.status == status && (answer.body["key"] != nil) == (status == 201))
            }
            let list = try await gateway.caller.send(
                .get, "/admin/api-keys", headerFields: [.authorization: "Bearer \(Self.masterKey)"])
            let id = try #require(list.body["keys"]?[0]?["id"]?.string)
            let revoked = try await gateway.caller.send(
                .delete, "/admin/api-keys/\(id)", headerFields: [.authorization: "Bearer \(Self.masterKey)"])
            #expect(revoked.status == 200 && revoked.body == ["status": "ok"])
        }
    }

    @Test("The paths of coding sessions answer 404 unless coding sessions are enabled")
    func off() async throws {
        try await withGateway { gateway in
            for path in ["events", "hooks/http", "push/register", "devices/register", "notifications/ack"] {
                let answer = try await post(gateway, path, [:])
                #expect(answer.status == 404 && answer.body["error"]?["status"] == "NOT_FOUND")
            }
        }
    }

    @Test("Coding sessions answer each of 2,000 bad requests in their own form")
    func badRequests() async throws {
        var generator = SeededGenerator(seed: 4)
        let bodies = [
            "", "{", "[]", "null", #"{"device":1}"#, #"{"device":{"device_id":"\u0000"}}"#,
            #"{"platform":"ios","push_token":1}"#, #"{"ids":[1]}"#, String(repeating: "[", count: 2_000),
        ]
        let paths = [
            "events", "hooks/http", "push/register", "devices/register", "notifications/ack", "events/%00",
            "sessions/%ff/events", "devices/x/sessions/y", "notifications?limit=x", "ping/pong",
        ]
        try await withGateway(Self.settings) { gateway in
            for _ in 0..<2_000 {
                let path = paths.randomElement(using: &generator) ?? ""
                let method = [HTTPRequest.Method.post, .put, .delete].randomElement(using: &generator) ?? .post
                let key = [Self.masterKey, Self.writeKey].randomElement(using: &generator) ?? ""
                let answer = try await gateway.caller.send(
                    method, "/api/v1/" + path, headerFields: [.authorization: "Bearer \(key)"],
                    body: Array((bodies.randomElement(using: &generator) ?? "").utf8))
                #expect([404, 422].contains(answer.status), "\(method) \(path)")
                #expect(answer.body["error"]?.string != nil && answer.body["message"]?.string != nil)
            }
            #expect(try await report(gateway, "Stop").status == 200)
            #expect(!gateway.log.lines.contains { $0.contains("unexpected error") })
        }
    }

    @Test("An address that sent ten wrong session keys is limited, and the keys are not logged")
    func guessing() async throws {
        try await withGateway(Self.settings) { gateway in
            var statuses: [Int] = []
            for number in 0..<25 {
                let answer = try await gateway.caller.send(
                    .get, "/api/v1/ping", headerFields: [.authorization: "Bearer guess-\(number)"])
                statuses.append(answer.status)
                if answer.status == 429 {
                    let wait = answer.headerFields[.retryAfter].flatMap { Int($0) } ?? 0
                    #expect((1...300).contains(wait) && answer.body["error"] == "rate_limited")
                }
            }
            // The window may end in between.
            #expect(statuses.prefix(10).allSatisfy { $0 == 401 } && statuses.contains(429))
            #expect(!gateway.log.lines.contains { $0.contains("guess-") })
        }
    }
}
