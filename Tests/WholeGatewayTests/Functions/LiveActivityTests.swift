import APNsSimulator
import Foundation
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

@testable import Gateway

@Suite("Live Activities of a gateway", .timeLimit(.minutes(10)))
struct LiveActivityTests {
    private static let key = "a-key-of-this-test-0001"
    private static let runs = [
        "functions.runs.enabled": "true", "functions.runs.apiKeys": key, "liveActivities.updateInterval": "1ms",
        "liveActivities.dismissal": "5m",
    ]

    /// Connects a phone that follows channels, and returns it with its part of a registration.
    private func connectPhone(to apns: RunningSimulator) -> (phone: SimulatedPhone, part: JSONValue) {
        let token = String.randomToken()
        let phone = SimulatedPhone(bundleID: RunningSimulator.bundleID, pushToStartToken: token)
        apns.simulator.connect(phone)
        return (phone, ["push_to_start_token": .string(token)])
    }

    private func ask(
        _ gateway: RunningGateway, _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil
    ) async throws -> Answer {
        try await gateway.caller.send(
            method, path, headerFields: [.authorization: "Bearer \(Self.key)"], body: body?.serialized ?? [])
    }

    private func report(
        _ gateway: RunningGateway, _ id: String, _ type: String, _ data: JSONObject = [:]
    ) async throws {
        var data = data
        data["repo_name"] = "my-repo"
        let body: JSONValue = [
            "id": .string(id), "run_id": "run-1", "type": .string(type), "data": .object(data),
        ]
        #expect(try await ask(gateway, .post, "/api/events", body).status == 202)
    }

    /// Returns the phone's last card, once a condition holds for it.
    private func shown(
        _ phone: SimulatedPhone, _ what: Comment, _ condition: (SimulatedPhone.Card) -> Bool
    ) async throws -> SimulatedPhone.Card {
        try await eventually(what) { phone.cards.last.map(condition) ?? false }
        return try #require(phone.cards.last)
    }

    @Test("A card that is started by push is updated and ended by its channel, and no token ever comes back")
    func reply() async throws {
        try await withSimulator { apns in
            let (phone, part) = connectPhone(to: apns)
            let device = String.randomToken()
            try await withGateway(["liveActivities.updateInterval": "1ms"], simulator: apns) { gateway in
                let daemon = Daemon(gateway.caller)
                let registered = try await daemon.register(
                    "phone", token: device, ["agent_display_name": "my-repo", "live_activity": part])
                #expect(registered.status == 200)
                for step in 1...3 {
                    let update = try await gateway.caller.call(
                        "updateReply", ["cwd": "/srv/app", "step": .string("Step \(step)"), "percentage": 30],
                        secret: daemon.secret)
                    #expect(update.body["devices"] == 1)
                }
                let running = try await shown(phone, "the newest step shows") { $0.contentState["step"] == "Step 3" }
                #expect(running.contentState["percentage"] == 30 && !running.isEnded)
                #expect(running.attributesType == "RunActivityAttributes" && running.attributes["title"] == "my-repo")
                try await daemon.trigger(preview: "All tests pass.")
                let ended = try await shown(phone, "the card ends") { $0.isEnded }
                #expect(ended.contentState["state"] == "finished" && ended.contentState["text"] == "All tests pass.")
                #expect(ended.dismissal == ended.timestamp + 900)
            }
            #expect(phone.cards.count == 1)
            let tokens = Set(apns.simulator.received().compactMap(\.token))
            #expect(tokens == [phone.pushToStartToken, device])
            let areAccepted = apns.simulator.received().map(\.isAccepted)
            #expect(!areAccepted.contains(false))
            #expect(apns.simulator.peakChannels == 1)
        }
    }

    @Test("A card that a gateway has started is ended by the next one, and leaves the lock screen")
    func restart() async throws {
        try await withSimulator { apns in
            let (phone, part) = connectPhone(to: apns)
            try await withDataDirectory { directory in
                try await withGateway(Self.runs, simulator: apns, in: directory) { gateway in
                    let registration: JSONValue = [
                        "token": .string(.randomToken()), "platform": "ios", "live_activity": part,
                    ]
                    #expect(try await ask(gateway, .post, "/api/devices", registration).status == 201)
                    try await report(gateway, "1", "run_started", ["text": "Reading"])
                    _ = try await shown(phone, "the card starts") { $0.contentState["text"] == "Reading" }
                    // The documents show tokens as fingerprints.
                    for collection in ["runDevices", "liveActivityCards", "messages"] {
                        let path = "/v1/projects/pushgate/databases/(default)/documents/\(collection)"
                        let text = try await gateway.ask(path).text
                        #expect(text.contains(#""name""#) && !text.contains(phone.pushToStartToken), "\(collection)")
                    }
                }
                // A process holds its data directory as long as it lives, so the second gateway gets a copy.
                let restored = directory + "-restored"
                try FileManager.default.copyItem(atPath: directory, toPath: restored)
                try await withGateway(Self.runs, simulator: apns, in: restored) { gateway in
                    try await report(gateway, "2", "run_failed", ["error": "Tests fail"])
                    let ended = try await shown(phone, "the card ends") { $0.isEnded }
                    #expect(ended.contentState["text"] == "Tests fail")
                    #expect(ended.isVisible(at: ended.timestamp + 299))
                    #expect(!ended.isVisible(at: ended.timestamp + 300))
                }
            }
            #expect(phone.cards.count == 1 && apns.simulator.peakChannels == 1)
        }
    }

    @Test("Without a channel a card is updated and ended by the token that its phone sends, however late")
    func fallback() async throws {
        try await withSimulator { apns in
            let (phone, part) = connectPhone(to: apns)
            let device = String.randomToken()
            let settings = Self.runs.merging(["liveActivities.maximumChannels": "0"]) { $1 }
            try await withGateway(settings, simulator: apns) { gateway in
                func register(_ part: JSONValue) async throws {
                    let body: JSONValue = ["token": .string(device), "platform": "ios", "live_activity": part]
                    #expect(try await ask(gateway, .post, "/api/devices", body).status == 201)
                }
                try await register(part)
                try await report(gateway, "1", "run_started", ["text": "Reading"])
                let started = try await shown(phone, "the card starts") { $0.contentState["text"] == "Reading" }
                #expect(started.channel == nil)
                try await report(gateway, "2", "run_progress", ["text": "Writing"])
                let card = try #require(started.attributes["card"]?.string)
                let token = try #require(started.updateToken)
                let tokens: JSONObject = [card: .string(token)]
                try await register([
                    "push_to_start_token": .string(phone.pushToStartToken), "update_tokens": .object(tokens),
                ])
                _ = try await shown(phone, "the present content shows") { $0.contentState["text"] == "Writing" }
                try await report(gateway, "3", "run_failed", ["error": "Tests fail"])
                let ended = try await shown(phone, "the card ends") { $0.isEnded }
                #expect(ended.contentState["text"] == "Tests fail")
            }
            #expect(phone.cards.count == 1 && apns.simulator.peakChannels == 0)
        }
    }

    @Test("An approval is decided on the card of one phone: the run's server gets it, and all phones show it")
    func approval() async throws {
        try await withSimulator { apns in
            let phones = [connectPhone(to: apns), connectPhone(to: apns)]
            try await withGateway(Self.runs, simulator: apns) { gateway in
                for (_, part) in phones {
                    let registration: JSONValue = [
                        "token": .string(.randomToken()), "platform": "ios", "live_activity": part,
                    ]
                    #expect(try await ask(gateway, .post, "/api/devices", registration).status == 201)
                }
                try await report(
                    gateway, "1", "approval_requested", ["approval_id": "a-1", "prompt_preview": "Push to main?"])
                for (phone, _) in phones {
                    let asked = try await shown(phone, "the approval shows") { $0.contentState["approval"] != nil }
                    #expect(asked.contentState["text"] == "Push to main?")
                }
                async let waiting = ask(gateway, .get, "/api/approvals/a-1?wait=30")
                let decided = try await ask(gateway, .post, "/api/approvals/a-1", ["decision": "approve"])
                #expect(decided.status == 200)
                #expect(try await waiting.body["state"] == "approved")
                for (phone, _) in phones {
                    let approved = try await shown(phone, "the buttons leave") { $0.contentState["approval"] == nil }
                    #expect(approved.contentState["text"] == "Approved")
                }
                let other = try await ask(gateway, .post, "/api/approvals/a-1", ["decision": "deny"])
                #expect(other.status == 409)
            }
        }
    }
}
