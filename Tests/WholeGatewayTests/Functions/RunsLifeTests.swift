import APNsSimulator
import Foundation
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

@testable import Gateway

@Suite("Runs on a gateway", .timeLimit(.minutes(10)))
struct RunsLifeTests {
    private static let key = "a-key-of-this-test-0001"
    private static let settings = [
        "functions.runs.enabled": "true", "functions.runs.apiKeys": key, "functions.runs.reminders": "6s, 7s",
    ]

    /// Settings without a reminder during a test.
    private static let calm = settings.merging(["functions.runs.reminders": "15m, 1h"]) { $1 }

    private func call(
        _ gateway: RunningGateway, _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue = .null
    ) async throws -> Answer {
        try await gateway.caller.send(
            method, path, headerFields: [.authorization: "Bearer \(Self.key)"], body: body.serialized)
    }

    private func report(
        _ gateway: RunningGateway, _ id: String, _ type: String, _ data: JSONObject = [:]
    ) async throws -> Int {
        var data = data
        data["repo_name"] = "pushgate"
        data["server_id"] = "server-1"
        return try await call(
            gateway, .post, "/api/events",
            ["id": .string(id), "run_id": "run-1", "seq": 1, "type": .string(type), "data": .object(data)]
        ).status
    }

    private func sent(_ apns: RunningSimulator, to token: String) -> [ReceivedNotification] {
        apns.simulator.received().filter { $0.token == token }
    }

    @Test("Runs work from registration to the last reminder across a restart, and remove a dead device")
    func life() async throws {
        let device = String.randomToken()
        let gone = String.randomToken()
        try await withSimulator { apns in
            apns.simulator.script(
                token: gone,
                answers: [ScriptedAnswer(status: 410, reason: "Unregistered", timestamp: 4_000_000_000_000)])
            try await withDataDirectory { directory in
                try await withGateway(Self.settings, simulator: apns, in: directory) { gateway in
                    for token in [device, gone] {
                        let answer = try await call(
                            gateway, .post, "/api/devices", ["token": .string(token), "platform": "ios"])
                        #expect(answer.status == 201 && answer.body["token"] == .string(token))
                    }
                    let status = try await report(
                        gateway, "1", "approval_requested", ["approval_id": "approval-1", "prompt_preview": "Fix it"])
                    #expect(status == 202)
                    let isDropped = await eventually {
                        (try? await gateway.ask("/v1/projects/pushgate/databases/(default)/documents/runDevices"))?
                            .body["documents"]?.array?.count == 1
                    }
                    #expect(isDropped)
                    // After the restart, a notification whose outcome is not stored would be sent again.
                    try await eventually("the outcomes are stored") {
                        let deliveries = try await gateway.ask("/v1/deliveries").body["deliveries"]?.array ?? []
                        return !deliveries.isEmpty && deliveries.allSatisfy { $0["pending"] == 0 }
                    }
                }
                let first = try #require(apns.simulator.received().first { $0.token == device })
                #expect(
                    first.payloadWithoutID == [
                        "aps": [
                            "alert": ["title": "Approval needed", "body": "pushgate: Fix it"], "sound": "default",
                            "badge": 1,
                        ],
                        "type": "approval", "approval_id": "approval-1", "run_id": "run-1", "server_id": "server-1",
                    ])
                #expect(
                    first.pushType == "alert" && first.priority == "10"
                        && first.header("apns-collapse-id") == "approval-1")
                // A process holds its data directory as long as it lives, so the second gateway gets a copy.
                let restored = directory + "-restored"
                try FileManager.default.copyItem(atPath: directory, toPath: restored)
                try await withGateway(Self.settings, simulator: apns, in: restored) { gateway in
                    // On a busy machine the first reminder may come before the restart.
                    try await eventually("both reminders arrive") { sent(apns, to: device).count == 3 }
                    #expect(try await report(gateway, "2", "approval_resolved", ["approval_id": "approval-1"]) == 202)
                    #expect(try await report(gateway, "1", "approval_requested", ["approval_id": "approval-1"]) == 202)
                    try await eventually("the new badge arrives") { sent(apns, to: device).count == 4 }
                }
            }
            let received = sent(apns, to: device)
            #expect(
                received.map { $0.payload?["aps"]?["alert"]?["title"]?.string }
                    == ["Approval needed", "Still waiting", "Reminder", nil])
            #expect(received.last?.payloadWithoutID == ["aps": ["badge": 0]])
            #expect(sent(apns, to: gone).count == 1)
        }
    }

    /// The events that decide an approval, with the title of their notification; `nil` if it only sets the badge.
    private static let decisions: [(String, String?)] = [
        ("approval_resolved", nil), ("run_completed", "Run completed"), ("run_cancelled", nil),
    ]

    /// Waits until the request for an approval has settled as superseded, and the decision as well if `both` is `true`.
    private func superseded(on gateway: RunningGateway, both: Bool) async throws {
        // An outcome is stored after the answer.
        try await eventually("the request is superseded") {
            let deliveries = try await gateway.ask("/v1/deliveries").body["deliveries"]?.array ?? []
            guard deliveries.count == 2, !both || deliveries.allSatisfy({ $0["pending"] == 0 }),
                let id = deliveries.first(where: { $0["superseded"] == 1 })?["id"]?.string
            else { return false }
            let request = try await gateway.ask("/v1/deliveries/\(id)").body["notifications"]?.array?.first
            return request?["state"] == "superseded" && request?["settled_at"] != nil
        }
    }

    @Test(
        "A request for an approval that waits for its retry is not sent after the decision",
        arguments: decisions)
    func decided(type: String, title: String?) async throws {
        let device = String.randomToken()
        try await withSimulator { apns in
            apns.simulator.script(token: device, answers: [ScriptedAnswer(status: 503, count: 1)])
            try await withGateway(Self.calm, simulator: apns) { gateway in
                _ = try await call(gateway, .post, "/api/devices", ["token": .string(device), "platform": "ios"])
                #expect(try await report(gateway, "1", "approval_requested", ["approval_id": "approval-1"]) == 202)
                try await eventually("the first attempt fails") { sent(apns, to: device).count == 1 }
                #expect(try await report(gateway, "2", type, ["approval_id": "approval-1"]) == 202)
                try await eventually("the decision arrives") { sent(apns, to: device).contains { $0.status == 200 } }
                try await superseded(on: gateway, both: true)
            }
            let accepted = sent(apns, to: device).filter { $0.status == 200 }
            #expect(accepted.map { $0.payload?["aps"]?["badge"]?.integer } == [0])
            #expect(accepted.map { $0.payload?["aps"]?["alert"]?["title"]?.string } == [title])
        }
    }

    @Test(
        "A request for an approval that Apple has not answered is given up, and the decision follows it",
        arguments: decisions)
    func decidedInFlight(type: String, title: String?) async throws {
        let device = String.randomToken()
        try await withSimulator { apns in
            let slow = ScriptedAnswer(status: 200, count: 1, delay: .seconds(600))
            apns.simulator.script(token: device, answers: [slow])
            try await withGateway(Self.calm, simulator: apns) { gateway in
                _ = try await call(gateway, .post, "/api/devices", ["token": .string(device), "platform": "ios"])
                #expect(try await report(gateway, "1", "approval_requested", ["approval_id": "approval-1"]) == 202)
                try await eventually("the request is in flight") { apns.simulator.counters.requests == 1 }
                #expect(try await report(gateway, "2", type, ["approval_id": "approval-1"]) == 202)
                try await superseded(on: gateway, both: true)
                #expect(apns.simulator.counters.requests == 2)
            }
            let last = sent(apns, to: device).last
            #expect(last?.status == 200 && last?.payload?["aps"]?["badge"]?.integer == 0)
            #expect(last?.payload?["aps"]?["alert"]?["title"]?.string == title)
        }
    }

    @Test(
        "A request for an approval in a lane that is held up settles with the decision, and is never sent",
        arguments: decisions)
    func decidedWhileHeldUp(type: String, title: String?) async throws {
        let device = String.randomToken()
        try await withSimulator { apns in
            let refusal = ScriptedAnswer(status: 403, reason: "InvalidProviderToken", count: nil)
            apns.simulator.script(token: nil, answers: [refusal])
            try await withGateway(Self.calm, simulator: apns) { gateway in
                _ = try await call(gateway, .post, "/api/devices", ["token": .string(device), "platform": "ios"])
                #expect(try await report(gateway, "1", "approval_requested", ["approval_id": "approval-1"]) == 202)
                try await eventually("the lane is held up") {
                    gateway.log.lines.contains { $0.contains("pausing a lane") }
                }
                #expect(try await report(gateway, "2", type, ["approval_id": "approval-1"]) == 202)
                try await superseded(on: gateway, both: false)
                #expect(!sent(apns, to: device).contains { $0.status == 200 })
                apns.simulator.clearScript()
                try gateway.gateway.reload(gateway.gateway.configuration)
                try await superseded(on: gateway, both: true)
            }
            let accepted = sent(apns, to: device).filter { $0.status == 200 }
            #expect(accepted.map { $0.payload?["aps"]?["badge"]?.integer } == [0])
            #expect(accepted.map { $0.payload?["aps"]?["alert"]?["title"]?.string } == [title])
        }
    }

    @Test("The paths of runs answer 404 unless runs are enabled")
    func off() async throws {
        try await withGateway { gateway in
            for (method, path) in [
                (HTTPRequest.Method.post, "/api/devices"), (.delete, "/api/devices/a"), (.post, "/api/events"),
            ] {
                let answer = try await call(gateway, method, path)
                #expect(answer.status == 404 && answer.body["error"]?["status"] == "NOT_FOUND")
            }
        }
    }

    @Test("Runs answer each of 2,000 bad requests in their own form")
    func badRequests() async throws {
        var generator = SeededGenerator(seed: 4)
        let bodies = [
            "", "{", "[]", "null", #"{"token":1}"#, #"{"id":"\u0000"}"#, String(repeating: "[", count: 2_000),
        ]
        try await withGateway(Self.settings) { gateway in
            for _ in 0..<2_000 {
                let path = ["/api/devices", "/api/events", "/api/devices/%00/x", "/api/events/1"].randomElement(
                    using: &generator)
                let method = [HTTPRequest.Method.post, .put, .delete].randomElement(using: &generator)
                let body = Array((bodies.randomElement(using: &generator) ?? "").utf8)
                let key = Bool.random(using: &generator) ? Self.key : "stranger"
                let answer = try await gateway.caller.send(
                    method ?? .post, path ?? "", headerFields: [.authorization: "Bearer \(key)"], body: body)
                let isExpected =
                    key == Self.key ? (400...413).contains(answer.status) : [401, 429].contains(answer.status)
                #expect(
                    isExpected && answer.body["error"]?["message"]?.string != nil, "\(method ?? .post) \(path ?? "")")
            }
            #expect(try await report(gateway, "1", "run_completed") == 202)
            #expect(!gateway.log.lines.contains { $0.contains("unexpected error") })
        }
    }
}
