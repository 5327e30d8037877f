import APNsSimulator
import Cryptography
import DocumentStore
import Emulator
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import TestSupport
import Testing

@testable import Gateway

@Suite("POST /v1/diagnoses", .timeLimit(.minutes(10)))
struct DiagnosisEndpointTests {
    private static let path = "/v1/diagnoses"

    private func diagnosis(of subject: String, _ gateway: RunningGateway) async throws -> JSONValue {
        let answer = try await gateway.ask(Self.path, .post, ["of": .string(subject)])
        #expect(answer.status == 200, "\(answer.text)")
        return answer.body
    }

    @Test("A device is found by path, id and token, with its facts and last messages, and without its token")
    func device() async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                let token = String.randomToken()
                let daemon = Daemon(gateway.caller)
                let registered = try await daemon.register("phone", token: token, ["apns_environment": "sandbox"]).body
                try await daemon.trigger(preview: "Done.")
                try await gateway.untilAttempted()
                let agent =
                    "servers/\(registered["server_key"]?.string ?? "")/agents/\(registered["agent_key"]?.string ?? "")"
                let answer = try await diagnosis(of: "\(agent)/devices/phone", gateway)
                for subject in ["phone", token, token.uppercased(), " \(token)\n"] {
                    #expect(try await diagnosis(of: subject, gateway) == answer, "\(subject)")
                }
                #expect(answer["cause"] == "accepted" && answer["notes"] == nil)
                #expect(answer["devices"]?.array?.count == 1)
                let device = try #require(answer["devices"]?[0])
                #expect(device["registration"] == .string("\(agent)/devices/phone") && device["registered"] == true)
                #expect(device["system"] == "codeagents" && device["transport"] == "apns")
                #expect(device["agent"] == "/srv/app")
                #expect(device["environment"] == "sandbox")
                #expect(device["token"] == .string(RegistrationToken(token).description))
                #expect(device["registered_at"]?.string != nil && device["last_seen_at"]?.string != nil)
                #expect(device["summary"] == answer["summary"])
                let message = try #require(device["messages"]?[0])
                #expect(message["state"] == "accepted" && message["source"] == "codeagents")
                #expect(message["explanation"]?.string?.hasPrefix("Apple accepted it.") == true)
                let newest = try await gateway.ask("/v1/deliveries").body["deliveries"]?[0]
                #expect(message["id"] == newest?["id"])
                #expect(!answer.text.contains(token))
            }
        }
    }

    @Test("An agent is found by its path, directory and name; the first device with a problem counts")
    func agent() async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                let daemon = Daemon(gateway.caller)
                let more: JSONObject = ["apns_environment": "sandbox", "agent_display_name": "My agent"]
                let (good, bad) = (String.randomToken(), String.randomToken())
                apns.simulator.script(
                    token: bad, answers: [ScriptedAnswer(status: 429, reason: "TooManyRequests", count: nil)])
                let registered = try await daemon.register("a", token: good, more).body
                try await daemon.register("b", token: bad, more)
                try await daemon.trigger(preview: "Done.")
                try await gateway.untilAttempted()
                let agent =
                    "servers/\(registered["server_key"]?.string ?? "")/agents/\(registered["agent_key"]?.string ?? "")"
                for subject in [agent, "/srv/app", "My agent"] {
                    let answer = try await diagnosis(of: subject, gateway)
                    #expect(answer["cause"] == "rate-limited", "\(subject)")
                    #expect(answer["summary"]?.string?.hasPrefix("1 of 2 registrations; b: ") == true)
                    #expect(answer["devices"]?.array?.map { $0["cause"] } == ["accepted", "rate-limited"])
                    #expect(answer["devices"]?.array?.map { $0["agent"] } == ["My agent", "My agent"])
                    #expect(answer["notes"] == ["It is the agent /srv/app."])
                }
            }
        }
    }

    @Test("A device that has registered again after its token was rejected is waiting for a message")
    func registeredAgain() async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                let (old, new) = (String.randomToken(), String.randomToken())
                apns.simulator.script(
                    token: old, answers: [ScriptedAnswer(status: 410, reason: "Unregistered", count: nil)])
                let daemon = Daemon(gateway.caller)
                let environment: JSONObject = ["apns_environment": "sandbox"]
                try await daemon.register("phone", token: old, environment)
                try await daemon.trigger()
                try await gateway.untilAttempted()
                let gone = try await diagnosis(of: "phone", gateway)
                #expect(gone["cause"] == "registration-gone" && gone["devices"]?[0]?["agent"] == "/srv/app")
                try await daemon.register("phone", token: new, environment)
                let answer = try await diagnosis(of: "phone", gateway)
                #expect(answer["cause"] == "no-message")
                #expect(answer["summary"]?.string?.contains("registered again") == true)
            }
        }
    }

    @Test("A device for which messages wait for later has their number and the time of the first in its answer")
    func later() async throws {
        try await withGateway { gateway in
            let daemon = Daemon(gateway.caller)
            try await daemon.register("phone", token: "emulated:phone")
            let devices = try await gateway.gateway.store.documents(matching: .collectionGroup("devices"))
            let path = try #require(devices.first?.path.description)
            for delay in ["2h", "1h"] {
                let answer = try await gateway.ask(
                    "/v1/deliveries", .post, ["to": .string(path), "title": "Hello", "deliver_in": .string(delay)])
                #expect(answer.status == 200, "\(answer.text)")
            }
            let waiting = try await gateway.ask("/v1/scheduled").body["scheduled"]
            let time = try #require(waiting?[0]?["deliver_at"]?.string)
                .prefix(19).replacing("T", with: " ")
            let sentence = "2 messages wait for later, the first until \(time) UTC."
            let answer = try await diagnosis(of: "phone", gateway)
            #expect(answer["cause"] == "scheduled")
            #expect(answer["summary"] == .string("No message was accepted for this device. \(sentence)"))
            try await daemon.trigger()
            try await gateway.untilAttempted()
            let next = try await diagnosis(of: "phone", gateway)
            #expect(next["cause"] == "in-inbox" && next["summary"]?.string?.hasSuffix(sentence) == true)
        }
    }

    @Test("It changes nothing")
    func changesNothing() async throws {
        try await withGateway { gateway in
            let daemon = Daemon(gateway.caller)
            try await daemon.register("phone", token: "emulated:phone")
            try await daemon.trigger()
            try await gateway.untilAttempted()
            let before = gateway.gateway.store.readTime
            for subject in ["phone", "emulated:phone", "/srv/app", "nobody"] {
                _ = try await diagnosis(of: subject, gateway)
            }
            let messages = try await gateway.ask("/v1/deliveries").body["deliveries"]?.array
            #expect(messages?.count == 1 && gateway.gateway.inbox.items().count == 1)
            let devices = try await gateway.gateway.store.documents(matching: .collectionGroup("devices"))
            #expect(devices.count == 1 && devices.allSatisfy { $0.updateTime <= before })
        }
    }

    @Test(
        "A mistake is answered with what to do",
        arguments: [
            ([:], "“of” is missing"), (["of": ""], "“of” is missing"), (["of": 1], "“of” is missing"),
            (["of": " "], "an empty text"), (["of": "x", "to": "y"], "“to” is not a member"),
        ] as [(JSONValue, String)])
    func mistakes(body: JSONValue, text: String) async throws {
        try await withGateway { gateway in
            let answer = try await gateway.ask(Self.path, .post, body)
            #expect(answer.status == 400 && answer.text.contains(text), "\(answer.text)")
        }
    }

    @Test("It requires the admin token")
    func unauthenticated() async throws {
        try await withGateway { gateway in
            let body = (["of": "phone"] as JSONValue).serialized
            let answer = try await gateway.caller.send(.post, Self.path, body: body)
            #expect(answer.status == 401)
        }
    }
}
